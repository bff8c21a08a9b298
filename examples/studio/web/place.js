// Places on the grid, without a page. A place is `{col, row, cols, rows}` in cells, counted from 0.

const COLUMNS = 64; // as wide as a grid can be
const ROWS = 10_000;

const whole = (value, least, most, otherwise) => (Number.isInteger(value) && value >= least ? Math.min(value, most) : otherwise);

/** The size of a grid, within what can be drawn. Rows reach to the lowest component. */
export function extent(grid, places) {
  let rows = whole(grid?.rows, 1, ROWS, 8);
  for (const place of places) rows = Math.max(rows, place.row + place.rows);
  return { columns: whole(grid?.columns, 1, COLUMNS, 12), rows };
}

/** The place of a component as the server has it. What is no number becomes the first cell, or one cell. */
export const placeOf = ({ position, size }) => ({
  col: whole(position?.col, 0, COLUMNS - 1, 0),
  row: whole(position?.row, 0, ROWS, 0),
  cols: whole(size?.cols, 1, COLUMNS, 1),
  rows: whole(size?.rows, 1, 1_000, 1),
});

export const isSame = (a, b) => a.col === b.col && a.row === b.row && a.cols === b.cols && a.rows === b.rows;

/** Compares two places as they are read: from the top, then from the left. */
export const byReading = (a, b) => a.row - b.row || a.col - b.col;

/** The nearest place inside the grid. */
export function inside({ columns, rows }, place) {
  const cols = Math.min(Math.max(place.cols, 1), columns);
  const high = Math.min(Math.max(place.rows, 1), rows);
  return {
    col: Math.min(Math.max(place.col, 0), columns - cols),
    row: Math.min(Math.max(place.row, 0), rows - high),
    cols,
    rows: high,
  };
}

/** Which cells are taken. It is made once for a drag, so a step of the drag asks no component. */
export class Occupancy {
  #cells;
  #columns;
  #rows;

  /** `places` are those of all components but the one that is dragged. */
  constructor({ columns, rows }, places) {
    this.#columns = columns;
    this.#rows = rows;
    this.#cells = new Uint8Array(columns * rows);
    for (const place of places) {
      const right = Math.min(place.col + place.cols, columns);
      const bottom = Math.min(place.row + place.rows, rows);
      for (let row = place.row; row < bottom; row += 1) this.#cells.fill(1, row * columns + place.col, row * columns + right);
    }
  }

  isFree({ col, row, cols, rows }) {
    if (col < 0 || row < 0 || col + cols > this.#columns || row + rows > this.#rows) return false;
    for (let y = row; y < row + rows; y += 1) {
      const start = y * this.#columns + col;
      if (this.#cells.subarray(start, start + cols).includes(1)) return false;
    }
    return true;
  }

  /** The free places of a size, the nearest first. */
  free(near, most) {
    const found = [];
    for (let row = 0; row + near.rows <= this.#rows; row += 1) {
      for (let col = 0; col + near.cols <= this.#columns; col += 1) {
        if (this.isFree({ col, row, cols: near.cols, rows: near.rows })) {
          found.push({ col, row, far: Math.abs(col - near.col) + Math.abs(row - near.row) });
        }
      }
    }
    return found
      .sort((a, b) => a.far - b.far || byReading(a, b))
      .slice(0, most)
      .map(({ col, row }) => ({ col, row }));
  }
}
