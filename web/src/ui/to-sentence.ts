/** Turns a text into a sentence with a capital letter and a full stop. */
export function toSentence(text: string): string {
  const whole = /[.!?]$/.test(text) ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
