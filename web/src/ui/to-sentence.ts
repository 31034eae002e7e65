/** A text that may lack its capital letter and its full stop, as a sentence of its own. */
export function toSentence(text: string): string {
  const whole = /[.!?]$/.test(text) ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
