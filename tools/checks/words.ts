type SourceFile = { readonly path: string; readonly text: string };

/** A line of the list of terms. */
const TERM = /^- \*\*(.+?)\*\*:/gm;
/** A row of the table of words that are not used: the words are code. */
const ROW = /^\| (`.+?`) \| .+ \|$/gm;
/** The product. Tests and tools may give a name to something of their own. */
const PRODUCT = /^(?:services|packages)\/.*\.tsx?$/;
/** Names what the admin API answers. */
const OF_THE_API = 'services/console/types.ts';

/**
 * Where the project contradicts its glossary: words that it rules out, and types of the product that are named like a term but are not the
 * one type of that term.
 */
export function contradictions(glossary: SourceFile, files: readonly SourceFile[]): string[] {
  const others = files.filter(({ path }) => path !== glossary.path);
  return [...ruledOut(glossary.text, others), ...declaredTwice(glossary.text, others)];
}

function ruledOut(glossary: string, files: readonly SourceFile[]): string[] {
  const words = [...glossary.matchAll(ROW)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(.+?)`/g)].map(([, word = '']) => word),
  );
  const pattern = new RegExp(
    `(?<![\\w-])(?:${words.map((word) => word.replace(/[()]/g, '\\$&')).join('|')})(?![\\w-])`,
    'g',
  );
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([word]) => `${path} has "${word}", see the glossary`),
  );
}

function declaredTwice(glossary: string, files: readonly SourceFile[]): string[] {
  const declarations = new Map(
    [...glossary.matchAll(TERM)].map(([, term = '']) => [nameOf(term), [] as string[]]),
  );
  for (const { path, text } of files)
    if (PRODUCT.test(path) && path !== OF_THE_API)
      for (const [, name = ''] of text.matchAll(/^(?:export )?(?:type|class|interface) (\w+)/gm))
        declarations.get(name)?.push(path);
  return [...declarations]
    .filter(([, paths]) => paths.length > 1)
    .map(
      ([name, paths]) =>
        `${name} is a term of the glossary, and types of ${paths.length} files: ${paths.join(', ')}`,
    );
}

/** The name of the type: `RejectedBody` for `rejected body`. */
function nameOf(term: string): string {
  return term.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
}
