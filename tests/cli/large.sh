#!/usr/bin/env bash
# A file of 4 GB is fitted within 600 MB: of data of its own, which the system enforces, and of pages of the file in memory.
# Most of its rows are zero, and take no room on the disk.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ${EIGENMESH_SANITIZED:-no} != no ]]; then
    echo "skipped: a sanitizer has memory of its own"
    exit 77
fi

features=784
rows=1400000
filled=2000
works generate -d $features -N $filled -k 10 --gap 0.5 -o raw:f32:some
npy_with_header "{'descr': '<f4', 'fortran_order': False, 'shape': ($rows, $features), }" <some >large.npy
truncate -s $(($(stat -c %s large.npy) + 4 * features * (rows - filled))) large.npy
[[ $(stat -c %s large.npy) -gt 4000000000 ]] || fail "the file is not large"
npy_with_header "{'descr': '<f4', 'fortran_order': False, 'shape': ($filled, $features), }" <some >few.npy

cat >measure <<'END'
#!/usr/bin/env python3
import os, resource, subprocess, sys
most = 600 << 20
status = subprocess.run([os.environ["EIGENMESH"], *sys.argv[1:]], stdout=subprocess.DEVNULL,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most))).returncode
held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{held // 1024} MB for", *sys.argv[1:])
sys.exit(status or held > most >> 10)
END
chmod +x measure

./measure fit large.npy -k 3 -m covariance -o model.npz || fail "covariance takes too much, or fails"
./measure transform model.npz large.npy -o raw:f32:scores || fail "transform takes too much, or fails"

# Rows of zeros weigh in, and so do all others: variances are those of the few rows, about another mean and over more rows.
works fit few.npy -k 3 --no-center -m krylov -o few.npz
./measure fit large.npy -k 3 --no-center -m krylov -o all.npz || fail "krylov takes too much, or fails"
/usr/bin/python3 - $filled $rows <<'END'
import sys
import numpy as np
few, all_ = np.load("few.npz"), np.load("all.npz")
some, rows = int(sys.argv[1]), int(sys.argv[2])
np.testing.assert_allclose(all_["explained_variance"] * (rows - 1), few["explained_variance"] * (some - 1), rtol=1e-6)
np.testing.assert_allclose(all_["components"], few["components"], atol=1e-5)
END
