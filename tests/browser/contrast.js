// Returns the visible texts whose contrast with what is behind them is less than WCAG's AA asks for.
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data].map((part, at) => (at === 3 ? part / 255 : part)));
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], behind) => [r, g, b].map((part, at) => part * a + behind[at] * (1 - a));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bad = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const seen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!texts.currentNode.data.trim() || !seen || element.closest(".unseen, :disabled, svg")) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    const [light, dark] = [luminance(over(rgba(style.color), ground)), luminance(ground)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5)) bad.push(`${texts.currentNode.data.trim()} (${element.className}): ${ratio.toFixed(2)}`);
  }
  return bad;
}
