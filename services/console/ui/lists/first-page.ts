/** The cursors of lists in the URL. Whoever filters or sorts a list otherwise, or looks at another time, begins at its first page. */
export const FIRST_PAGE = { before: '', after: '' } as const;
