// A batch of CIFAR-10 in its official binary form, from a PNG whose every row is one image of 32 x 32 pixels:
// node scripts/unpack-cifar.mjs TILE.png LABELS.json FIRST BATCH.bin
//
// Row i becomes a record of 3,073 bytes: its label, which is entry FIRST + i of LABELS.json, then the red, the green
// and the blue of its pixels. PNG as in "Portable Network Graphics (PNG) Specification (Second Edition)", W3C, 2003.
import { readFileSync, writeFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

const pixels = 32 * 32;
const channels = 3;
const rowBytes = channels * pixels;
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

// The chunks of a PNG (section 5.3) as [type, data]. Their checksums are left alone: zlib has its own.
function* chunksOf(file) {
    if (!file.subarray(0, signature.length).equals(signature)) throw new Error('is not a PNG');
    for (let at = signature.length; at < file.length; ) {
        const length = file.readUInt32BE(at);
        yield [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + 8 + length)];
        at += 12 + length;
    }
}

// The number of rows, from the header (section 11.2.2), which must be that of a tile.
function heightOf(header) {
    const [depth, colour, , , interlace] = header.subarray(8);
    if (header.readUInt32BE(0) !== pixels || depth !== 8 || colour !== 2 || interlace !== 0) {
        throw new Error(`is not ${pixels} pixels wide, of 8-bit RGB without interlace`);
    }
    return header.readUInt32BE(4);
}

// What each filter (section 9.2) takes for the byte, by those to the left, above, and above the left.
const predictors = [
    () => 0,
    (left) => left,
    (left, above) => above,
    (left, above) => (left + above) >> 1,
    (left, above, corner) => {
        const estimate = left + above - corner;
        const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(estimate - value));
        if (toLeft <= toAbove && toLeft <= toCorner) return left;
        return toAbove <= toCorner ? above : corner;
    },
];

// Turns a row of differences from the prediction into bytes, in place; a sum wraps as bytes do.
function unfilter(row, above, filter) {
    const predict = predictors[filter];
    if (!predict) throw new Error(`has a row with the unknown filter ${filter}`);
    for (let i = 0; i < channels; i++) row[i] += predict(0, above[i], 0);
    for (let i = channels; i < rowBytes; i++) {
        row[i] += predict(row[i - channels], above[i], above[i - channels]);
    }
}

// The rows of a tile, each the RGB, RGB, ... of one image.
function rowsOf(file) {
    const chunks = [...chunksOf(file)];
    const height = heightOf(chunks[0][1]);
    const packed = chunks.filter(([type]) => type === 'IDAT').map(([, data]) => data);
    const filtered = inflateSync(Buffer.concat(packed));
    if (filtered.length !== height * (1 + rowBytes)) throw new Error(`does not hold its ${height} rows`);

    const rows = [];
    let above = Buffer.alloc(rowBytes);
    for (let start = 0; start < filtered.length; start += 1 + rowBytes) {
        const row = filtered.subarray(start + 1, start + 1 + rowBytes);
        unfilter(row, above, filtered[start]);
        rows.push(row);
        above = row;
    }
    return rows;
}

function recordsOf(rows, labels) {
    if (labels.length !== rows.length) throw new Error(`has ${rows.length} images but ${labels.length} labels`);
    const records = Buffer.alloc(rows.length * (1 + rowBytes));
    let at = 0;
    rows.forEach((row, image) => {
        records[at++] = labels[image];
        for (let channel = 0; channel < channels; channel++) {
            for (let i = channel; i < rowBytes; i += channels) records[at++] = row[i];
        }
    });
    return records;
}

const [tile, labelFile, first, batch] = process.argv.slice(2);
try {
    const rows = rowsOf(readFileSync(tile));
    const labels = JSON.parse(readFileSync(labelFile, 'utf8')).slice(Number(first), Number(first) + rows.length);
    writeFileSync(batch, recordsOf(rows, labels));
} catch (error) {
    console.error(`unpack-cifar: ${tile}: ${error.message}`);
    process.exit(1);
}
