/** What the operations are about, in the order in which they are shown. */
export const TAGS = {
  Projects: 'Projects and environments, in which features live.',
  Features: 'Feature flags: creating, archiving and favourites.',
  'Change requests': 'Changes of features that others approve before they are applied.',
  Strategies: 'Strategy types, built-in and custom.',
  Feedback: 'What users say about the product.',
  Events: 'What happened, newest first.',
  Usage: 'What is counted, and what the counts say.',
  Accounting: 'What was received and what became of it.',
  Tokens: 'API tokens and personal tokens.',
  Users: 'People and their roles.',
  Relays:
    'Served by ingest, and so at the same address under flagmeter start; else at the address of ingest.',
  Processes: 'Served by every process of flagmeter at its own address.',
} as const;

export type Tag = keyof typeof TAGS;
