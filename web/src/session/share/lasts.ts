/** The choices for how long something is shared. */
export const LASTS = [
  { span: "24h", words: "in 24 hours" },
  { span: "7d", words: "in 7 days" },
  { span: "30d", words: "in 30 days" },
] as const;
