"""Where the corpora of the fuzz targets lie."""
import pathlib

HERE = pathlib.Path(__file__).parent / "corpus"


def put(reader, name, content):
    place = HERE / reader
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(content)
