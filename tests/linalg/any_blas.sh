#!/usr/bin/env bash
# Any BLAS will do: the program, run with each that this machine has beside the one it was built with, finds the same
# components.  EIGENMESH is the program.
set -euo pipefail
: "${EIGENMESH:?the path of the program}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Folders of one library each, as Debian keeps them; LIBRARIES names others.
shopt -s nullglob
read -ra folders <<<"${LIBRARIES:-}"
folders+=(/usr/lib/*/{blas,blis-pthread,blis-openmp,blis-serial,openblas-*,atlas,mkl}/)

# fit REPORT FOLDER...: print the variances that the program finds with the libraries of these folders.
fit()
{
    local path
    path=$(IFS=:; echo "${*:2}")
    LD_LIBRARY_PATH=$path "$EIGENMESH" fit data.npy -k 4 --nodes 3 --tolerance 1e-10 --threads 2 --json >"$1"
    grep -oE '"variance": [0-9.e+-]+' "$1" | head -n 4 | grep -oE '[0-9.e+-]+$'
}

"$EIGENMESH" generate -d 30 -N 2000 -k 4 --gap 0.7 -o data.npy --quiet
fit own.json >own
[[ $(wc -l <own) -eq 4 ]] || { echo "FAILED: there are no variances in the report"; exit 1; }
tried=0
for folder in "${folders[@]}"; do
    [[ -e $folder/libblas.so.3 ]] || continue
    # A LAPACK that is made for it, or the plain one.
    lapack=$(echo /usr/lib/*/lapack/)
    [[ $(LD_LIBRARY_PATH=$folder:$lapack ldd "$EIGENMESH") == *"$folder"* ]] || continue
    fit other.json "$folder" "$lapack" >other
    paste own other | awk -v name="$folder" '
        { difference = ($1 - $2) / $1; if (difference < 0) difference = -difference; if (difference > worst) worst = difference }
        END { printf "%s: variances differ by %.1e\n", name, worst; exit !(NR == 4 && worst < 1e-9) }' || exit 1
    tried=$((tried + 1))
done
[[ $tried -gt 0 ]] || { echo "skipped: there is no other BLAS; try Debian's libblas3"; exit 77; }
