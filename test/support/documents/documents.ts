import { readFileSync } from 'node:fs';
import { filesIn } from './sources.ts';

export type Document = { readonly file: string; readonly text: string };
export type CodeBlock = { readonly language: string; readonly code: string };

/** Also indented, as in a list. */
const FENCE = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

/** All documents about flagmeter. */
export function readDocuments(): Document[] {
  const inDocs = filesIn('docs').filter((file) => file.endsWith('.md'));
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...inDocs].map((file) => ({
    file,
    text: readFileSync(file, 'utf8'),
  }));
}

/** The text between code fences. */
export function codeBlocksOf({ text }: Document): CodeBlock[] {
  return [...text.matchAll(FENCE)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The lines outside code fences, each with its number. */
export function proseLinesOf({ text }: Document): { readonly line: string; readonly number: number }[] {
  const withoutCode = text.replace(FENCE, (block) => block.replaceAll(/[^\n]/g, ''));
  return withoutCode.split('\n').map((line, index) => ({ line, number: index + 1 }));
}

/** The text between backticks in the prose. */
export function codeSpansOf(document: Document): string[] {
  const prose = proseLinesOf(document)
    .map(({ line }) => line)
    .join('\n');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\n', ' '));
}
