#!/usr/bin/env bash
# No output is an input, or another output, by whatever name: refused before any work, with nothing touched.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

works generate -d 6 -N 60 -k 2 --gap 0.5 -o data.npy
works convert data.npy data.csv
works convert data.npy raw:f64:data.bin
works fit data.npy -k 2 -o model.npz
works topology cycle -n 6 --edges edges.txt
works generate -d 6 -N 40 -k 2 --gap 0.5 -o start.npy
has_hdf5=yes
if [[ $("$EIGENMESH" --version) != *HDF5* ]]; then has_hdf5=no; fi
if [[ $has_hdf5 == yes ]]; then works convert data.npy data.h5; fi

# Other names of data.npy, and of what is not there yet.
ln -s data.npy link.npy
ln -s link.npy link-to-link.npy
ln data.npy hard.npy
mkdir folder
ln -s folder other-folder
ln -s ../data.npy folder/data.npy
ln -s nothing-yet dangling
cp -r . ../before
same_as_before()
{
    diff -r --no-dereference ../before . >&2 || fail "a file was changed"
}

# fit: the output, the trace, the plot and the checkpoint, against the input under each of its names.
for name in data.npy ./data.npy .//data.npy "$PWD/data.npy" folder/../data.npy link.npy link-to-link.npy hard.npy \
    folder/data.npy other-folder/data.npy; do
    for option in --output --trace --plot --checkpoint; do
        refuses 2 "$option: '$name' is the file of INPUT" fit data.npy -k 2 "$option" "$name"
        refuses 2 "$option: 'data.npy' is the file of INPUT" fit "$name" -k 2 "$option" data.npy
    done
    refuses 2 "OUTPUT: '$name' is the file of INPUT" convert data.npy "$name"
    refuses 2 "--output: '$name' is the file of INPUT" transform model.npz data.npy -o "$name"
done
refuses 2 "--output: 'link.npy' is the file of INPUT 'hard.npy' too" fit data.csv hard.npy -k 2 -o link.npy
refuses 2 "--output: 'data.bin' is the file of INPUT too" fit raw:f64:6:data.bin -k 2 -o data.bin
refuses 2 "OUTPUT: 'data.npy' is the file of INPUT too" convert data.npy raw:f32:data.npy
refuses 2 "OUTPUT: 'data.bin' is the file of INPUT too" convert raw:f64:6:data.bin raw:f32:data.bin
refuses 2 "--output: 'data.npy' is the file of INPUT 'link.npy' too" transform model.npz link.npy -o raw:f64:data.npy
refuses 2 "--output: 'model.npz' is the file of MODEL.npz too" transform model.npz data.npy -o model.npz
refuses 2 "--plot: 'model.npz' is the file of FILE.npz too" info model.npz --plot model.npz
if [[ $has_hdf5 == yes ]]; then
    refuses 2 "OUTPUT: 'data.h5' is the file of INPUT too" convert data.h5:/data data.h5:/more
    refuses 2 "--output: 'data.h5' is the file of INPUT too" transform model.npz data.h5 -o data.h5:/scores
fi

# Other files that are read.
refuses 2 "--output: 'edges.txt' is the file of --topology too" fit data.npy -k 2 -n 6 -t file:edges.txt -o edges.txt
refuses 2 "--trace: 'w.npy' is the file of --weights too" fit data.npy -k 2 -n 6 --weights file:w.npy --trace w.npy
refuses 2 "--trace: 'start.npy' is the file of --init too" fit data.npy -k 2 --init file:start.npy --trace start.npy
refuses 2 "--output: './start.npy' is the file of --truth 'start.npy' too" \
    fit data.npy -k 2 --truth file:start.npy -o ./start.npy
refuses 2 "--edges: 'edges.txt' is the file of SPEC too" topology file:edges.txt -n 6 --edges edges.txt
refuses 2 "--plot: './edges.txt' is the file of SPEC 'edges.txt' too" topology file:edges.txt -n 6 --plot ./edges.txt
refuses 2 "--edges: 'w.npy' is the file of --weights too" topology cycle -n 6 --weights file:w.npy --edges w.npy
same_as_before

# A file a node.
mkdir shards
for node in 0 1 2; do cp data.npy "shards/s-00$node.npy"; done
refuses 2 "--output: 'shards/s-002.npy' is the file of INPUT too" fit shards/s-%03d.npy -k 2 -o shards/s-002.npy
refuses 2 "--trace: 'shards/../shards/s-001.npy' is the file of INPUT 'shards/s-001.npy' too" \
    fit shards/s-%03d.npy -k 2 -n 3 --trace shards/../shards/s-001.npy
works fit shards/s-%03d.npy -k 2 -o shards/s-003.npz --quiet # which is none of them
rm -r shards

# Two outputs, there or not yet.
refuses 2 "--trace: 'same' is the file of --output too" fit data.npy -k 2 -o same --trace same
refuses 2 "--trace: './same' is the file of --output 'same' too" fit data.npy -k 2 -o same --trace ./same
refuses 2 "--plot: 'other-folder//same' is the file of --output 'folder/same' too" \
    fit data.npy -k 2 -o folder/same --plot other-folder//same
refuses 2 "--checkpoint: 'nothing-yet' is the file of --output 'dangling' too" \
    fit data.npy -k 2 -o dangling --checkpoint nothing-yet
refuses 2 "--edges: 'same' is the file of --plot too" topology path -n 4 --plot same --edges same
same_as_before

# The files that compare and reproduce put into their directory.
mkdir comparison
ln data.csv comparison/compare.csv
refuses 2 "--output: 'comparison/compare.csv' is the file of INPUT 'data.csv' too" compare data.csv -k 2 -o comparison
if command -v gnuplot >/dev/null; then
    ln -sf seconds.svg comparison/units.svg
    rm comparison/compare.csv
    refuses 2 "--output: 'comparison/seconds.svg' is the file of --output 'comparison/units.svg' too" \
        compare data.csv -k 2 -n 4 -o comparison
    mkdir -p paper sets/mnist
    echo images >sets/mnist/train-images-idx3-ubyte
    echo labels >sets/mnist/train-labels-idx1-ubyte
    ln -s ../sets/mnist/train-images-idx3-ubyte paper/index.html
    refuses 2 "--output: 'paper/index.html' is the file of --data 'sets/mnist/train-images-idx3-ubyte' too" \
        reproduce fig4 --data sets -o paper
fi
rm -rf comparison paper sets
same_as_before

# Devices may be named as often as one likes, a pipe or a file on standard output once; a name that only looks alike is another file.
works fit data.npy -k 2 --quiet -o /dev/null --trace /dev/null
works fit data.npy -k 2 --quiet -o data.npz --trace data.trace
ran="fit data.npy -k 2 --quiet --trace /dev/stdout -o - >both"
status=0
"$EIGENMESH" fit data.npy -k 2 --quiet --trace /dev/stdout -o - >both 2>"$err" || status=$?
[[ $status -eq 2 && ! -s both ]] || fail "two outputs on one stream"
complains "--trace: standard output is that of --output already"
ran="fit data.npy -k 2 --quiet --trace - -o both >both"
status=0
# shellcheck disable=SC2094 # which is what is refused
"$EIGENMESH" fit data.npy -k 2 --quiet --trace - -o both >both 2>"$err" || status=$?
[[ $status -eq 2 && ! -s both ]] || fail "an output that is replaced while it is standard output"
complains "--trace: '-' is the file of --output 'both' too"
rm both
works convert data.npy raw:f64:raw # a file called raw
rm data.npz data.trace raw
same_as_before
