import type { CodeRepository } from './schema.ts';

// In the OpenAPI document.
export const SCANNED = {
  repository: 'github.com/acme/shop',
  branch: 'main',
  commit: '6f1c3f2e4f0c4b8e9a530d8f7f1f2a1165e2d0c4',
  committedAt: '2026-11-26T10:12:00.000Z',
  linkTemplate: 'https://github.com/acme/shop/blob/{commit}/{path}#L{line}',
  leftOut: 0,
};
export const STORED = { id: 3, ...SCANNED, pushedAt: '2026-11-26T10:15:00.000Z', pushedBy: 'ci' };
export const EXAMPLE: CodeRepository = { ...STORED, places: 1 };
export const PLACE = { path: 'src/basket.ts', line: 12, kind: 'call' } as const;
