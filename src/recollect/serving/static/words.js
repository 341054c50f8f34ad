// Words of a translation: where they stand in it, which differ from another's, which pieces made them.

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

/** Return, for each word of `text`, the numbers of the pieces that it is made of. */
export function madeOf(text, pieces, language) {
  const letters = [];
  pieces.forEach((piece, number) => {
    for (const letter of shown(piece).trim()) letters.push({ letter, number });
  });
  const written = Array.from(text.matchAll(/\S/gu), (found) => ({ letter: found[0], at: found.index }));
  const same = common(
    written.map((each) => each.letter),
    letters.map((each) => each.letter),
  );
  const all = words(text, language);
  const found = all.map(() => new Set());
  let word = 0;
  for (const [i, j] of same) {
    while (all[word].end <= written[i].at) word++;
    found[word].add(letters[j].number);
  }
  return found.map((numbers) => [...numbers]);
}

/** Return a piece as it is written, a space before it where a word begins. */
export function shown(piece) {
  return piece.replaceAll("▁", " ");
}

/** Return the number of the word in `text` that a remembered piece was part of, or -1. */
export function wordOf(piece, text, language) {
  const bare = shown(piece).trim();
  const all = words(text, language).map((each) => each.text);
  const exact = all.indexOf(bare);
  if (exact >= 0) return exact;
  const begins = piece.startsWith("▁");
  return all.findIndex((each) => (begins ? each.startsWith(bare) : each.includes(bare)));
}
