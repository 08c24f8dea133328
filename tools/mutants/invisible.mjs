import { PluginKind, declareValuePlugin } from '@stryker-mutator/api/plugin';

/** The simulation sees no logs, no metrics and no texts of errors, so changes of these are left out. */
const ignorer = {
  shouldIgnore({ node, parent }) {
    if (node.type === 'CallExpression' && isForOperators(segmentsOf(node.callee))) return 'a log or a metric';
    if (parent?.type === 'NewExpression' && parent.arguments.at(textAt(parent.callee)) === node)
      return 'the text of an error';
    // What the worker has attempted, for its logs and metrics.
    if (parent?.callee?.name === 'untilDone' && parent.arguments[1] === node) return 'a log or a metric';
    return undefined;
  },
};

const METHODS_OF_METRICS = ['inc', 'set', 'observe', 'startTimer'];

/** The names in `this.#options.log.warn`: options, log, warn. */
function segmentsOf(node) {
  if (node.type === 'MemberExpression') return [...segmentsOf(node.object), ...segmentsOf(node.property)];
  if (node.type === 'PrivateName') return [node.id.name];
  return node.type === 'Identifier' ? [node.name] : [];
}

function isForOperators(segments) {
  const isOfMetric = METHODS_OF_METRICS.includes(segments.at(-1));
  return segments.includes('log') || (segments.includes('metrics') && isOfMetric);
}

/** Our errors have a code before their text. */
function textAt({ name }) {
  return name === 'FlagmeterError' ? 1 : name === 'Error' ? 0 : Infinity;
}

export const invisiblePlugin = declareValuePlugin(PluginKind.Ignore, 'invisible', ignorer);
