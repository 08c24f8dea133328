/** That of `engines` in package.json. */
const OLDEST_NODE = '22.12';

/** Why this Node cannot run flagmeter, and what to do; undefined if it can. npm only warns when it installs. */
export function whyTooOld(node: string): string | undefined {
  if (node.localeCompare(OLDEST_NODE, 'en', { numeric: true }) >= 0) return undefined;
  return `flagmeter needs Node ${OLDEST_NODE} or newer, and this is ${node}. For this command alone: npx --package node@24 --package flagmeter flagmeter`;
}
