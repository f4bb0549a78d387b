#!/usr/bin/env python3
"""PLINK files to test with, and what NumPy makes of them, without a line of eigenmesh's own.

  genotypes.py make FOLDER [--people N] [--variants V] [--missing SHARE] [--seed S]
      pooled.bed, and its people in three files: a.bed; b.bed, where half of the variants have their alleles swapped; and c.bed,
      where they are in another order too.  new.bed has 40 people more, of the same populations.
  genotypes.py check BED K EIGENVEC... [--eigenval FILE] [--like EIGENVEC]
      The people of all EIGENVEC files are those of BED, and their components are the eigenvectors of X X' / variants, by NumPy or
      as another EIGENVEC has them: 1 - cos^2 of every component that is 5 % away from its neighbours is printed, and is 1e-9 at
      most; eigenvalues have six digits in common.
  genotypes.py project BED K NEW.bed EIGENVEC LOADINGS
      People of NEW.bed, scaled and projected as the loadings of BED's components say, have the scores of EIGENVEC.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

POPULATIONS = 7
CODE = np.array([3, 2, 0, 1], np.uint8)  # of 0, 1 and 2 copies of A1, and of no call
COPIES = np.array([2, np.nan, 1, 0])


def write(path, copies, variants, people):
    """copies: people x variants of A1, 3 for no call; variants: (id, position, A1, A2)."""
    n, v = copies.shape
    codes = np.zeros((v, -(-n // 4) * 4), np.uint8)
    codes[:, :n] = CODE[copies.T]
    packed = codes[:, 0::4] | codes[:, 1::4] << 2 | codes[:, 2::4] << 4 | codes[:, 3::4] << 6
    path.with_suffix(".bed").write_bytes(b"\x6c\x1b\x01" + packed.tobytes())
    path.with_suffix(".bim").write_text("".join(f"{1 + (position - 1000) // 7 * 22 // v}\t{name}\t0\t{position}\t{one}\t{other}\n"
                                                for name, position, one, other in variants))
    path.with_suffix(".fam").write_text("".join(f"fam{p} person{p} 0 0 {1 + p % 2} -9\n" for p in people))


def read(path):
    """Copies of A1, people x variants with NaN for no call; lines of the .bim; names of people."""
    bim = [line.split() for line in path.with_suffix(".bim").read_text().splitlines()]
    fam = [line.split() for line in path.with_suffix(".fam").read_text().splitlines()]
    packed = np.frombuffer(path.with_suffix(".bed").read_bytes()[3:], np.uint8).reshape(len(bim), -1)
    codes = np.stack([packed >> shift & 3 for shift in (0, 2, 4, 6)], axis=2).reshape(len(bim), -1)[:, :len(fam)]
    return COPIES[codes].T, bim, [f"{person[0]} {person[1]}" for person in fam]


def draw(people, variants, missing, seed):
    """Populations of unequal sizes that drifted apart from common frequencies (Balding and Nichols)."""
    rng = np.random.default_rng(seed)
    common = rng.uniform(0.05, 0.95, variants)
    drift = np.linspace(0.02, 0.2, POPULATIONS)[:, None]
    frequency = rng.beta(common * (1 - drift) / drift, (1 - common) * (1 - drift) / drift)
    share = np.linspace(1, 2, POPULATIONS)
    group = rng.choice(POPULATIONS, people, p=share / share.sum())
    copies = rng.binomial(2, frequency[group]).astype(np.uint8)
    copies[rng.random(copies.shape) < missing] = 3
    copies[:, 5], copies[:, 17], copies[:, 29] = 0, np.where(copies[:, 17] == 3, 3, 2), 3  # without variation, or a call
    return copies


def swap(copies, variants, which):
    """The other allele is A1."""
    copies = copies.copy()
    copies[:, which] = np.array([2, 1, 0, 3], np.uint8)[copies[:, which]]
    return copies, [(name, at, b, a) if flip else (name, at, a, b) for (name, at, a, b), flip in zip(variants, which)]


def make(args):
    new = 40
    rng = np.random.default_rng(args.seed + 1)
    copies = draw(args.people + new, args.variants, args.missing, args.seed)
    pairs = ["AG", "CT", "GA", "TC", "CA"]
    variants = [(f"rs{v + 1}", 1000 + 7 * v, *pairs[v % 5]) for v in range(args.variants)]
    people = np.arange(args.people + new)
    args.folder.mkdir(parents=True, exist_ok=True)
    cuts = [0, args.people // 2 + 1, args.people * 4 // 5 + 2, args.people]
    write(args.folder / "pooled", copies[:args.people], variants, people[:args.people])
    for site, (first, end) in zip("abc", zip(cuts, cuts[1:])):
        part, own = copies[first:end], variants
        if site != "a":
            part, own = swap(part, own, rng.random(args.variants) < 0.5)
        if site == "c":
            order = rng.permutation(args.variants)
            part, own = part[:, order], [own[v] for v in order]
        write(args.folder / site, part, own, people[first:end])
    write(args.folder / "new", copies[args.people:], variants, people[args.people:])


def mean_of(copies):
    """Of the calls there are, 0 without any."""
    return np.nansum(copies, axis=0) / np.maximum(1, np.sum(~np.isnan(copies), axis=0))


def standardised(copies, mean=None):
    """(g - 2p) / sqrt(2p (1 - p)), zero where there is no call; variants that do not vary are left out."""
    if mean is None:
        mean = mean_of(copies)
    varies = (mean > 0) & (mean < 2)
    X = (copies - mean)[:, varies] / np.sqrt(mean * (1 - mean / 2))[varies]
    return np.where(np.isnan(X), 0, X), varies


def eigen(path, K):
    copies, _, people = read(path)
    X, _ = standardised(copies)
    values, vectors = np.linalg.eigh(X @ X.T / copies.shape[1])
    return values[::-1], vectors[:, ::-1][:, :K], people


def table(path):
    lines = Path(path).read_text().splitlines()
    assert lines[0].lstrip("#").split()[:2] == ["FID", "IID"], lines[0]
    rows = [line.split("\t") for line in lines[1:]]
    return [f"{row[0]} {row[1]}" for row in rows], np.array([[float(x) for x in row[2:]] for row in rows])


def check(args):
    values, vectors, people = eigen(args.bed, args.K)
    if args.like:
        others, theirs = table(args.like)
        vectors = theirs[[others.index(person) for person in people]]
    found = {}
    for path in args.eigenvec:
        found.update(zip(*table(path)))
    assert sorted(found) == sorted(people), "other people"
    scores = np.array([found[person] for person in people])
    assert scores.shape == vectors.shape, (scores.shape, vectors.shape)
    away = np.minimum(-np.diff(values[:args.K + 1]) / values[:args.K],
                      np.append(np.inf, -np.diff(values[:args.K]) / values[1:args.K]))
    unlike = 1 - np.sum(scores * vectors, axis=0) ** 2 / np.sum(scores ** 2, axis=0) / np.sum(vectors ** 2, axis=0)
    print("gaps    ", *(f"{gap:.3f}" for gap in away))
    print("1 - cos2", *(f"{angle:.1e}" for angle in unlike))
    assert (away > 0.05).sum() >= min(args.K, POPULATIONS - 2), "hardly a component with a gap: a test of nothing"
    assert np.all(unlike[away > 0.05] <= 1e-9)
    assert np.allclose(np.sum(scores ** 2, axis=0), 1, rtol=1e-5), "not of length one"
    if args.eigenval:
        theirs = np.array([float(line) for line in Path(args.eigenval).read_text().split()])
        print("values  ", *(f"{error:.1e}" for error in abs(theirs / values[:args.K] - 1)))
        assert np.allclose(theirs, values[:args.K], rtol=6e-6, atol=0)  # where six digits are printed


def project(args):
    copies, bim, _ = read(args.bed)
    mean = mean_of(copies)
    X, varies = standardised(copies)
    names, scores = table(args.eigenvec)
    lines = [line.split("\t") for line in Path(args.loadings).read_text().splitlines()]
    assert lines[0][:6] == ["#CHROM", "POS", "ID", "A1", "A2", "A1_FREQ"], lines[0]
    own = {line[1]: (line, share / 2) for line, share, used in zip(bim, mean, varies) if used}
    assert sorted(own) == sorted(line[2] for line in lines[1:]), "other variants than those that vary"
    weights = {}
    for chromosome, position, name, one, other, frequency, *loadings in lines[1:]:
        line, share = own[name]
        sign = 1 if (one, other) == (line[4], line[5]) else -1
        assert {one, other} == {line[4], line[5]} and [chromosome, position] == [line[0], line[3]], name
        assert abs(float(frequency) - (share if sign == 1 else 1 - share)) < 1e-12, name
        weights[name] = sign * np.array([float(x) for x in loadings])
    W = np.array([weights[line[1]] for line, used in zip(bim, varies) if used])
    newer, newer_bim, people = read(args.new)
    assert [line[1] for line in newer_bim] == [line[1] for line in bim]
    Y, _ = standardised(newer, mean)
    wanted = Y @ W / np.linalg.norm(X @ W, axis=0)
    assert names == people and scores.shape == (len(people), args.K)
    print("projected, off by", np.max(abs(scores - wanted)))
    assert np.max(abs(scores - wanted)) < 1e-6 * np.max(abs(wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--people", type=int, default=603)
    making.add_argument("--variants", type=int, default=2001)
    making.add_argument("--missing", type=float, default=0.05)
    making.add_argument("--seed", type=int, default=1)
    checking = commands.add_parser("check")
    checking.add_argument("bed", type=Path)
    checking.add_argument("K", type=int)
    checking.add_argument("eigenvec", nargs="+")
    checking.add_argument("--eigenval")
    checking.add_argument("--like")
    projecting = commands.add_parser("project")
    projecting.add_argument("bed", type=Path)
    projecting.add_argument("K", type=int)
    projecting.add_argument("new", type=Path)
    projecting.add_argument("eigenvec")
    projecting.add_argument("loadings")
    args = parser.parse_args()
    {"make": make, "check": check, "project": project}[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
