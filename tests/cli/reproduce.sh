#!/usr/bin/env bash
# eigenmesh reproduce: every figure in a tiny version; the same again byte for byte; an end half-way.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v gnuplot >/dev/null; then
    refuses 2 gnuplot reproduce fig1a -o out
    echo "skipped: gnuplot is not installed"
    exit 77
fi

program_path=/nowhere refuses 2 "reproduce: gnuplot is not installed" reproduce fig1a -o out
! grep -q -- --plot "$err" || fail "it speaks of an option that it does not have"

# Data sets of the right shape, of a few images each.
mkdir -p data/mnist data/cifar10
works generate -d 784 -N 400 -k 40 --gap 0.8 -o images.npy --seed 3
works convert images.npy data/mnist/train-images-idx3-ubyte.idx
mv data/mnist/train-images-idx3-ubyte.idx data/mnist/train-images-idx3-ubyte
{
    printf '\0\0\x08\x01\0\0\x01\x90' # bytes, one dimension of 400
    # shellcheck disable=SC2059 # the bytes are the format
    for row in {1..400}; do printf "\\x0$((row * 7 % 10))"; done
} >data/mnist/train-labels-idx1-ubyte
for batch in data_batch_{1..5} test_batch; do
    # A record is a label and 3,072 pixels; digits of a sequence are numbers below 10.
    head -c $((60 * 3073)) < <(seq ${#batch}0000 200000 | tr '0-9\n' '\000-\011\003') >"data/cifar10/$batch.bin"
done

tiny=(--trials 2 --iterations 12)
works reproduce all --data data -o out "${tiny[@]}"
says "Figure 1a"
says "out/index.html"
for setup in fig1a fig1b fig2-{er,cycle,star} fig3-{er,cycle,star}-0.{6,8} fig4-{10,40,sorted} fig5-{10,20}; do
    compgen -G "out/$setup-*.csv" >/dev/null || fail "no curve of $setup"
    compgen -G "out/$setup-*.svg" >/dev/null || fail "no picture of $setup"
done
for figure in fig1a-dsa-0.1 fig1a-gha-alone-0.1 fig1b-dsa-0.01 fig2-star-seqdistpm-50 fig3-er-0.8-dpgd-free-0.1 \
    fig3-cycle-0.6-seqdistpm-5 fig4-10-oi fig4-40-gha-0.1 fig4-sorted-dsa-auto fig5-20-dsa-0.7 fig5-10-krylov; do
    [[ $(head -n 1 "out/$figure.csv") == "iteration,rounds,bytes,units,error,least,most" ]] || fail "$figure.csv has no header"
    awk -F, 'NF != 7 { exit 1 } NR > 1 && $1 != NR - 2 { exit 1 } END { exit NR < 3 }' "out/$figure.csv" ||
        fail "$figure.csv is not a row an iteration"
done
for picture in out/*.svg; do
    grep -q "</svg>" "$picture" || fail "$picture is not whole"
    [[ $(stat -c %s "$picture") -lt 100000 ]] || fail "$picture is large"
done

# The same seed gives the same files, whatever the number of cores; another seed does not.
few=(reproduce fig1a fig3 --trials 3 --iterations 30)
works "${few[@]}" -o one --threads 1
works "${few[@]}" -o two --threads 2
diff -r one two >/dev/null || fail "the same command made other files: $(diff -rq one two | head -n 3)"
works "${few[@]}" -o three --seed 9
! cmp -s one/fig1a-dsa-0.1.csv three/fig1a-dsa-0.1.csv || fail "the seed makes no difference"

# claims.json is what --json prints.
works "${few[@]}" -o one --json
cmp -s "$out" one/claims.json || fail "--json prints something else than claims.json"

# Stopped half-way: no page that looks complete, not even the last one's, and status 1.
[[ -s two/index.html ]] || fail "no index to begin with"
status=0
ran="reproduce fig1b, SIGINT after 1 s"
timeout --foreground --preserve-status -s INT 1 "$EIGENMESH" reproduce fig1b --trials 2000 -o two >"$out" 2>"$err" || status=$?
[[ $status -eq 1 ]] || fail "an interrupted run is not status 1"
complains "interrupted in fig1b"
for file in index.html claims.md claims.json; do
    [[ ! -e two/$file ]] || fail "$file is there after half a run"
done

refuses 2 "fig9: is no figure" reproduce fig9
refuses 2 "scripts/get-datasets mnist" reproduce fig4 --data nowhere -o out4
refuses 2 "scripts/get-datasets cifar10" reproduce fig1a fig5 --data nowhere -o out5
refuses 2 "--trials" reproduce fig1a --trials 0 -o out6
rm data/mnist/train-labels-idx1-ubyte
refuses 2 "train-labels-idx1-ubyte: is missing" reproduce fig4 --data data -o out7
refuses 2 "FIG" reproduce

# Figures and pages are files that a person can edit.
cp -r "$(dirname "$0")/../../lab" mine
sed -i 's/run again/once more/' mine/pages/index.html
sed -i 's/^title = Figure 1b: .*/title = Figure 1b: mine/' mine/paper/figures.txt
LAB_DIR=mine works reproduce fig1b --trials 1 --iterations 12 -o edited
grep -q "once more" edited/index.html || fail "an edited page is not used"
grep -q "Figure 1b: mine" edited/index.html || fail "an edited figure is not used"
sed -i 's/^nodes = .*/nodes = many/' mine/paper/figures.txt
LAB_DIR=mine refuses 2 "'many' is no number of nodes" reproduce fig1b -o refused
LAB_DIR=nowhere refuses 2 "nowhere/paper/figures.txt: cannot be read" reproduce fig1b -o refused
