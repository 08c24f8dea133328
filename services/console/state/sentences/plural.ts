import { formatCount } from '../format.ts';

/** 3 flags, 1 flag */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
