// A resource that is fenced by epochs (spec/README.md, R38), in memory. Nothing is imported, so that it runs in Node and in a browser.

import { isEpoch } from "./forms.mjs";

/** One resource: it keeps the highest epoch that it has admitted, beginning at 0. */
export class Fence {
  #highest = 0;
  /** @type {unknown} */ #value = "";

  /**
   * Check, raise and write are one step: nothing runs between them, since nothing here waits.
   * @param {number} epoch @param {unknown} value @returns {{admitted: boolean, highest: number}}
   */
  write(epoch, value) {
    if (!isEpoch(epoch)) throw new TypeError("epoch: give an integer from 0 to 2^53-1 (R2)");
    const admitted = epoch >= this.#highest;
    if (admitted) [this.#highest, this.#value] = [epoch, value];
    return { admitted, highest: this.#highest };
  }

  read() {
    return { value: this.#value, highest: this.#highest };
  }
}
