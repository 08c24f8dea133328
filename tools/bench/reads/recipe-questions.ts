import { readRecipes } from '../../docs/cookbook.ts';

/** The features that the cookbook names, and whether they must have variants. */
const NAMED = [
  { name: 'new-checkout', hasVariants: false },
  { name: 'price-experiment', hasVariants: true },
  { name: 'search-ranking', hasVariants: true },
];

/** Every query of the cookbook, with generated features in place of the named ones. */
export function recipeQuestions(): Record<string, string> {
  return Object.fromEntries(readRecipes().map(({ title, sql }) => [title, NAMED.reduce(withoutName, sql)]));
}

function withoutName(sql: string, { name, hasVariants }: (typeof NAMED)[number]): string {
  return sql.replaceAll(`'${name}'`, hasVariants ? '{variantFeature:String}' : '{feature:String}');
}
