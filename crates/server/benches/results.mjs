// Results of a bench in the format of allclear-bench-support: one JSON object per line.

/** The median; of an even number of values, the larger one in the middle. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

export class Bench {
  constructor(name) {
    this.name = name;
  }

  /** Prints a measurement. */
  measurement(what, values) {
    this.#print({ what, ...values });
  }

  /** Prints a budget with its measured value, which must be at least the limit. */
  atLeast(budget, value, limit) {
    this.#budget(budget, value, 'at least', limit, value >= limit);
  }

  /** Prints a budget with its measured value, which must be at most the limit. */
  atMost(budget, value, limit) {
    this.#budget(budget, value, 'at most', limit, value <= limit);
  }

  #budget(budget, value, rule, limit, met) {
    this.#print({ budget, value: Number(value.toFixed(3)), rule, limit, met });
  }

  #print(line) {
    console.log(JSON.stringify({ bench: this.name, ...line }));
  }
}
