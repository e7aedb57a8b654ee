// A picture of the page as a coarse grid of colours, to be compared with one that was looked at and kept as text. Squares
// of 40 x 40 pixels: other fonts and the smoothing of edges hardly change their mean, a chart that is missing, a panel
// that moved or a colour scheme that half applies do.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const SQUARE = 40; // CSS pixels
const MOST_MEAN = 8; // of 255, over all squares
const FAR = 40; // of 255: a square that is another
const MOST_FAR = 0.04; // of all squares

// Rows of squares, each [red, green, blue].
export async function gridOf(page) {
  const picture = (await page.screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
  const desk = await page.context().newPage();
  try {
    return await desk.evaluate(
      async ([data, square]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.drawImage(image, 0, 0);
        const rows = [];
        for (let y = 0; y + square <= image.height; y += square) {
          const row = [];
          for (let x = 0; x + square <= image.width; x += square) {
            const { data: pixels } = context.getImageData(x, y, square, square);
            const sum = [0, 0, 0];
            for (let i = 0; i < pixels.length; i += 4) for (let c = 0; c < 3; ++c) sum[c] += pixels[i + c];
            row.push(sum.map((one) => Math.round(one / (square * square))));
          }
          rows.push(row);
        }
        return rows;
      },
      [picture, SQUARE],
    );
  } finally {
    await desk.close();
  }
}

const hex = (square) => square.map((one) => one.toString(16).padStart(2, "0")).join("");
const unhex = (text) => [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16));

export const write = (path, grid) => writeFileSync(path, grid.map((row) => `${row.map(hex).join(" ")}\n`).join(""));
export const read = (path) => readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(" ").map(unhex));

// {mean, far}: the mean distance of two grids of one size, 0 to 255, and the share of squares that are others.
export function distance(a, b) {
  assert.deepEqual([a.length, a[0].length], [b.length, b[0].length], "pictures of two sizes");
  const each = a.flatMap((row, y) => row.map((square, x) => Math.max(...square.map((one, c) => Math.abs(one - b[y][x][c])))));
  return { mean: each.reduce((sum, one) => sum + one, 0) / each.length, far: each.filter((one) => one > FAR).length / each.length };
}

export const alike = ({ mean, far }) => mean <= MOST_MEAN && far <= MOST_FAR;

// Compares with the picture kept at `path`; with UPDATE_PICTURES set, or without one, keeps the present one.
export async function looksLike(page, path) {
  const grid = await gridOf(page);
  if (process.env["UPDATE_PICTURES"] || !existsSync(path)) {
    assert.ok(process.env["UPDATE_PICTURES"], `no picture ${path}: make it with UPDATE_PICTURES=1, then look at the page`);
    write(path, grid);
    return grid;
  }
  const far = distance(grid, read(path));
  assert.ok(alike(far), `the page is not what was looked at: squares differ by ${far.mean.toFixed(1)} of 255 in the mean, ${(far.far * 100).toFixed(1)} % are others`);
  return grid;
}
