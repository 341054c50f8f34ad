// Words of a translation: where they stand in it, and which differ from another's.

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’\u2010-][\p{L}\p{N}\p{M}]+)*|[^\s]/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Return the words and signs of `text` as {text, start, end}, spaces left out. */
export function words(text, language) {
  if (UNSPACED.test(text)) {
    const found = new Intl.Segmenter(language, { granularity: "word" }).segment(text);
    return Array.from(found, ({ segment, index }) => place(segment, index)).filter((each) => each.text.trim());
  }
  return Array.from(text.matchAll(WORD), (found) => place(found[0], found.index));
}

function place(text, start) {
  return { text, start, end: start + text.length };
}

/** Return pairs [i, j] of what two lists have in common, in order and as many as can be. */
export function common(one, other) {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i][j] =
        one[i] === other[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}

/** Return the numbers of those words of `text` that `other` does not have in their place. */
export function differing(text, other, language) {
  const mine = words(text, language).map((each) => each.text);
  const theirs = words(other, language).map((each) => each.text);
  const kept = new Set(common(mine, theirs).map(([i]) => i));
  return new Set(mine.map((_, number) => number).filter((number) => !kept.has(number)));
}

/** Return the number of the word in `text` that is `word`, or that it is part of; -1: it is not there. */
export function wordOf(word, text, language) {
  const all = words(text, language).map((each) => each.text);
  const exact = all.indexOf(word);
  return exact >= 0 ? exact : all.findIndex((each) => each.includes(word));
}
