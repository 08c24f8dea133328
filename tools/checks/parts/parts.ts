import type { Part } from './define-part.ts';
import { BASE } from './base.ts';
import { CORE } from './core.ts';
import { OTHER_PACKAGES } from './packages.ts';
import { SERVICES } from './services.ts';

/**
 * The walls: what each part may import, and what it holds. The rules of `make walls` are generated from this list. A
 * part imports another one only by its entry files.
 */
export const PARTS: readonly Part[] = [...CORE, ...BASE, ...OTHER_PACKAGES, ...SERVICES];
