/** What can happen in a state, and what then is the case. */
export type Step<S> = { readonly label: string; readonly next: S };

export type Machine<S> = {
  readonly start: S;
  /** Everything that can happen next. */
  steps(state: S): Iterable<Step<S>>;
  /** Equal for states that need not be told apart. */
  identityOf(state: S): string;
  /** What is wrong with a state, undefined while nothing is. It is asked once for each state. */
  violation(state: S): string | undefined;
  /** What is wrong with a step from one state to another. It is asked for each step, and there are many more of them. */
  stepViolation(state: S, before: S): string | undefined;
  /** Whether all work is done. */
  isFinal(state: S): boolean;
};

export type Exploration = {
  readonly states: number;
  readonly finals: number;
  /** States from which no final one can be reached. */
  readonly stuck: number;
  /** The first violation with the shortest way to it; none when all states were visited. */
  readonly violation: string | undefined;
};

type Node<S> = {
  readonly state: S;
  readonly label: string;
  readonly parent: number;
  readonly parents: number[];
};

/** Visits every state that can be reached, nearest first, each once. Stops at the first violation. */
export function explore<S>(machine: Machine<S>): Exploration {
  const nodes: Node<S>[] = [{ state: machine.start, label: 'start', parent: -1, parents: [] }];
  const ids = new Map<string, number>([[machine.identityOf(machine.start), 0]]);
  // The list grows while it is walked: that makes it the queue of a breadth-first search.
  for (const [id, { state }] of nodes.entries()) {
    for (const { label, next } of machine.steps(state)) {
      const key = machine.identityOf(next);
      const known = ids.get(key);
      let problem = machine.stepViolation(next, state);
      if (known === undefined) {
        ids.set(key, nodes.length);
        nodes.push({ state: next, label, parent: id, parents: [id] });
        problem ??= machine.violation(next);
      } else nodes[known]?.parents.push(id);
      if (problem !== undefined) {
        const violation = [problem, ...traceTo(nodes, id), label].join('\n  ');
        return { states: nodes.length, finals: 0, stuck: 0, violation };
      }
    }
  }
  return { states: nodes.length, ...endings(nodes, machine), violation: undefined };
}

function traceTo<S>(nodes: readonly Node<S>[], id: number): string[] {
  const trace: string[] = [];
  for (let node = nodes[id]; node !== undefined; node = nodes[node.parent]) trace.unshift(node.label);
  return trace;
}

/** Walks backwards from the final states, to find those that cannot end. */
function endings<S>(nodes: readonly Node<S>[], machine: Machine<S>): Pick<Exploration, 'finals' | 'stuck'> {
  const queue = [...nodes.keys()].filter((id) => {
    const node = nodes[id];
    return node !== undefined && machine.isFinal(node.state);
  });
  const finals = queue.length;
  const canEnd = new Set(queue);
  for (const id of queue) {
    for (const parent of nodes[id]?.parents ?? []) {
      if (!canEnd.has(parent)) queue.push(parent);
      canEnd.add(parent);
    }
  }
  return { finals, stuck: nodes.length - canEnd.size };
}
