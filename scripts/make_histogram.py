#!/usr/bin/env python3
"""Length file -> histogram with log-spaced bins: `mean length of the bin, number of lengths` per row.

  scripts/make_histogram.py lengths.csv --column length --bins 32 --format cpp

Prints CSV (a dataset that dcpbench reads with --lengths) or the rows of a C++ table
(datasets/preset_tables.cpp). The bins divide [shortest, longest] into equal ratios; empty ones are
left out. The mean of a bin is rounded, so the number of lengths is exact and the sum of tokens is
within half a token per length.
"""
import argparse
import csv
import math


def read_lengths(path, column):
    with open(path, newline="", encoding="utf-8-sig") as file:
        if column is None:
            return [int(line) for line in file if line.strip() and not line.startswith("#")]
        return [int(row[column]) for row in csv.DictReader(file)]


def histogram(lengths, bins):
    low, high = min(lengths), max(lengths)
    if low < 1:
        raise SystemExit(f"a length of {low}: lengths are at least 1")
    ratio = math.log(high / low) if high > low else 1.0
    grouped = {}
    for length in lengths:
        place = min(int(bins * math.log(length / low) / ratio), bins - 1)
        count, total = grouped.get(place, (0, 0))
        grouped[place] = (count + 1, total + length)
    # Rounded half up, in integers.
    return [((2 * total + count) // (2 * count), count) for _, (count, total) in sorted(grouped.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--column", help="column of a CSV with a header; without it one length per line")
    parser.add_argument("--bins", type=int, default=32)
    parser.add_argument("--format", choices=["csv", "cpp"], default="csv")
    arguments = parser.parse_args()

    rows = histogram(read_lengths(arguments.file, arguments.column), arguments.bins)
    if arguments.format == "csv":
        print("length,weight")
        for length, count in rows:
            print(f"{length},{count}")
    else:
        for length, count in rows:
            print(f"    {{{length}, {count}}},")


if __name__ == "__main__":
    main()
