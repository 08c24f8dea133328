/** What the index holds of each section. Whoever reads it needs the same options as who wrote it. */
export const SEARCH_OPTIONS = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page'] };
