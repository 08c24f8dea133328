import { Literal, codeOf } from './byte-cursor.ts';

export type Member = { readonly letter: number; readonly key: Literal; readonly bit: number };

/** The members that are read. Their first letters differ. */
export const FEATURE_NAME = { letter: codeOf('f'), key: new Literal('"featureName":'), bit: 1 } as const;
export const APP_NAME = { letter: codeOf('a'), key: new Literal('"appName":'), bit: 2 } as const;
export const ENVIRONMENT = { letter: codeOf('e'), key: new Literal('"environment":'), bit: 4 } as const;
export const TIMESTAMP = { letter: codeOf('t'), key: new Literal('"timestamp":'), bit: 8 } as const;
export const YES = { letter: codeOf('y'), key: new Literal('"yes":'), bit: 16 } as const;
export const NO = { letter: codeOf('n'), key: new Literal('"no":'), bit: 32 } as const;
export const VARIANTS = { letter: codeOf('v'), key: new Literal('"variants":'), bit: 64 } as const;

export const REQUIRED = FEATURE_NAME.bit | APP_NAME.bit | ENVIRONMENT.bit;
