"""Is the site whole?  check_site.py SITE PROJECT

Every link and anchor leads somewhere on the site, nothing but links refers to the world outside, every document of the
project has its page, and every page has the navigation, in which all documents are."""
import collections
import html.parser
import pathlib
import posixpath
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.navigation, self.inside = [], [], [], [], False
        self.tags = collections.Counter()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.tags[tag] += 1
        self.inside = self.inside or tag == "nav"
        if "id" in known:
            self.ids.append(known["id"])
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
            if self.inside:
                self.navigation.append(known["href"])
        else:
            self.loads += [known[name] for name in ("href", "src", "data", "srcset", "poster") if name in known]

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "nav"


def outside(target):
    return re.match(r"[a-z][a-z0-9+.-]*:|//", target)


def where(page, target):
    """The file and the anchor that a link of a page means."""
    path, fragment = urllib.parse.urldefrag(urllib.parse.unquote(target))
    return (posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page), fragment


def documents(project):
    """What must have a page: by name, what its place on the site is called."""
    yield from (f"{path.stem}.html" for path in project.glob("docs/*.md") if path.stem != "README")
    yield from (f"man/{path.name}.html" for path in project.glob("docs/man/*.1"))
    yield from ("index.html", "readme.html", "changelog.html", "contributing.html", "python.html")


def main(site, project):
    wrong = []
    files = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    pages = {name: Page((site / name).read_text()) for name in sorted(files) if name.endswith(".html")}
    used = {"index.html"}
    for name, page in pages.items():
        counts = collections.Counter(page.ids)
        wrong += [f"{name}: #{ident} is there twice" for ident in counts if counts[ident] > 1]
        wrong += [f"{name}: loads {target}" for target in page.loads if outside(target)]
        wrong += [f"{name}: {page.tags[tag]} <{tag}>" for tag in ("h1", "nav", "main", "title") if page.tags[tag] != 1]
        wrong += [f"{name}: has a <{tag}>" for tag in ("script", "iframe", "object") if page.tags[tag]]
        for target in page.links + page.loads:
            if outside(target):
                continue
            path, fragment = where(name, target)
            if path != name:
                used.add(path)
            if path not in files:
                wrong.append(f"{name}: {target} is not there")
            elif fragment and path in pages and fragment not in pages[path].ids:
                wrong.append(f"{name}: {target} has no such anchor")
        shown = {where(name, target)[0] for target in page.navigation}
        wrong += [f"{name}: {document} is not in its navigation" for document in documents(project)
                  if document not in shown and document != "index.html"]
    wrong += [f"{document}: there is no such page" for document in documents(project) if document not in pages]
    wrong += [f"{name}: nothing leads there" for name in sorted(files - used)]
    print("\n".join(wrong[:40]))
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(wrong)} findings")
    return 1 if wrong or len(pages) < 30 else 0


sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
