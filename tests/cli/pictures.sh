#!/usr/bin/env bash
# --plot: SVG, PNG and PDF by the name, in every command that draws, and what is said where one cannot be drawn.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 8 -N 400 -k 3 --gap 0.5 -o data.npy
works fit data.npy -k 4 -o model.npz
works fit data.npy -k 1 -o one.npz

# --- another ending is refused before any work, with the three named; so is no ending
for name in x.jpg x.svg.gz x svg .png /dev/stdout; do
    refuses 2 "ends in .svg, .png or .pdf" fit data.npy -k 2 -o new.npz --plot "$name"
    refuses 2 "ends in .svg, .png or .pdf" info model.npz --plot "$name"
    refuses 2 "ends in .svg, .png or .pdf" transform model.npz data.npy -o new.npy --plot "$name"
    refuses 2 "ends in .svg, .png or .pdf" compare data.npy -k 2 --plot "$name"
    refuses 2 "ends in .svg, .png or .pdf" topology cycle -n 5 --plot "$name"
done
refuses 2 "--plot: the name is empty" transform model.npz data.npy --plot ""
program_path=/nowhere refuses 2 "--plot: gnuplot is not installed" transform model.npz data.npy -o s.npy --plot s.png
program_path=/nowhere refuses 2 "--plot: gnuplot is not installed" compare data.npy -k 2 --plot s.pdf

if ! command -v gnuplot >/dev/null; then
    echo "SKIPPED: gnuplot is not installed" >&2
    exit 77
fi

# --- a gnuplot that was built without the library that PNG and PDF need
mkdir bin
cat >bin/gnuplot <<'END'
#!/bin/sh
case $(cat) in *cairo*) exit 1 ;; esac
echo '<svg></svg>'
END
chmod +x bin/gnuplot
program_path=$PWD/bin:$PATH refuses 2 "has no pngcairo" fit data.npy -k 2 -o new.npz --plot x.png
program_path=$PWD/bin:$PATH refuses 2 "has no pdfcairo" transform model.npz data.npy -o new.npy --plot x.PDF
program_path=$PWD/bin:$PATH works info model.npz --plot x.svg
# One that stops half-way through: nothing is left.
printf '#!/bin/sh\ncat >/dev/null\nprintf "\\211PNG\\r\\n\\032\\n"\n' >bin/gnuplot
program_path=$PWD/bin:$PATH refuses 2 "could not draw" transform model.npz data.npy -o new.npy --plot x.png
rm -r bin x.svg

# --- what is in the files is what their names say
bytes() { head -c "$2" "$1" | od -An -tx1 | tr -d ' \n'; }
is_a_picture() {
    case $1 in
    *.svg) [[ $(head -c 5 "$1") == "<?xml" && $(tail -n 2 "$1") == *"</svg>"* ]] || fail "$1 is no SVG" ;;
    *.pdf) [[ $(head -c 5 "$1") == "%PDF-" && $(tail -n 1 "$1") == "%%EOF" ]] || fail "$1 is no PDF" ;;
    *.png)
        [[ $(bytes "$1" 8) == 89504e470d0a1a0a ]] || fail "$1 is no PNG"
        width=$((16#$(bytes "$1" 20 | tail -c 8)))
        [[ $width -ge 1200 ]] || fail "$1 has only $width pixels across"
        ;;
    esac
}
for kind in svg png pdf; do
    works fit data.npy -k 3 --plot "exact.$kind"
    says "plot      exact.$kind"
    works fit data.npy -k 3 -n 5 -m deepca --truth compute --plot "way.$kind"
    works info model.npz --plot "scree.$kind"
    works transform model.npz data.npy -o scores.npy --plot "scores.$kind"
    says "scores.npy: 400 x 4 scores"
    says "scores.$kind: 400 scores along components 1 and 2"
    works transform one.npz data.npy --plot "one.$kind"
    says "one.$kind: 400 scores along component 1"
    works compare data.npy -k 2 -n 5 --methods krylov,dsa --iterations 30 --plot "compare.$kind"
    says "compare.$kind"
    works topology scalefree:2 -n 40 --plot "graph.$kind"
    for picture in exact way scree scores one compare graph; do is_a_picture "$picture.$kind"; done
done
works info model.npz --plot SCREE.PNG --quiet
mv SCREE.PNG loud.png
is_a_picture loud.png

# --- one picture of a comparison, and the three of a directory beside it
works compare data.npy -k 2 -n 5 --methods krylov,dsa --iterations 30 -o made --plot both.svg --json
says '"both.svg"'
says '"made/units.svg"'
[[ $(grep -c '>seconds in the iterations<' both.svg) -eq 1 ]] || fail "time is not in the picture"
refuses 2 "is the file of --plot too" compare data.npy -k 2 -n 5 --methods krylov -o made --plot made/units.svg
works compare data.npy -k 2 --methods krylov,oi --plot alone.svg
! grep -q '>units sent' alone.svg || fail "one node has sent something"

# --- scores go into the picture alone, or into a file too; as they are, or whitened
works transform model.npz data.npy --plot alone.svg --quiet
[[ ! -s $out ]] || fail "--quiet is not quiet"
grep -q '>component 1 ([0-9.]*% of the variance)<' alone.svg || fail "the x axis does not tell its share"
grep -q '>component 2 ([0-9.]*% of the variance)<' alone.svg || fail "the y axis does not tell its share"
works transform model.npz data.npy --plot white.svg --whiten
grep -q '>component 2, whitened (' white.svg || fail "whitened scores do not say so"
ln -s /dev/full full.png
refuses 1 "/dev/full" transform model.npz data.npy --plot full.png

# --- labels: of a CSV, and of nothing else
refuses 2 "data.npy: a label is of a CSV alone, and this is npy" transform model.npz data.npy --plot x.svg --label kind
