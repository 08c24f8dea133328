/** The groups of operations, in the order of the document. */
export const TAGS = {
  Projects: 'Projects and environments of features.',
  Features: 'Feature flags and their strategies: creating, changing, archiving and favourites.',
  'Change requests': 'Changes of features that need approval before they are applied.',
  Strategies: 'Strategy types, built-in and custom.',
  Feedback: 'Feedback of users about the product.',
  Events: 'Events, newest first.',
  Audit: 'Who did what, also what was refused.',
  Usage: 'Counts, and the verdicts drawn from them.',
  'Clean-up': 'Flags that can go, how far their removal is, and what they cost.',
  Code: 'Where the code of repositories names features.',
  Notifications: 'Messages about verdicts and events, and who gets them.',
  Accounting: 'Received metrics, and how many of them were counted, refused or repeated.',
  Tokens: 'API tokens and personal tokens.',
  Users: 'People and their roles.',
  Relays: 'Served by ingest: with flagmeter start at the same address, otherwise at the address of ingest.',
  Processes: 'Served by every process of flagmeter at its own address.',
} as const;

export type Tag = keyof typeof TAGS;
