/** A possible event, and the state after it. */
export type Step<S> = { readonly label: string; readonly next: S };

export type Machine<S> = {
  readonly start: S;
  /** Every possible next step. */
  steps(state: S): Iterable<Step<S>>;
  /** Equal for states that need no distinction. */
  identityOf(state: S): string;
  /** The violation in a state, or undefined. Called once for each state. */
  violation(state: S): string | undefined;
  /**
   * The violation by a step from one state to another, or undefined. Called for each step, and there are many more
   * steps than states.
   */
  stepViolation(state: S, before: S): string | undefined;
  /** Whether all work is done. */
  isFinal(state: S): boolean;
};

export type Exploration = {
  readonly states: number;
  readonly finals: number;
  /** States from which no final state can be reached. */
  readonly stuck: number;
  /** The first violation with the shortest path to it; undefined if all states were visited without one. */
  readonly violation: string | undefined;
};

type Node<S> = {
  readonly state: S;
  readonly label: string;
  readonly parent: number;
  readonly parents: number[];
};

/** Visits every reachable state once, nearest first. Stops at the first violation. */
export function explore<S>(machine: Machine<S>): Exploration {
  const nodes: Node<S>[] = [{ state: machine.start, label: 'start', parent: -1, parents: [] }];
  const ids = new Map<string, number>([[machine.identityOf(machine.start), 0]]);
  // The list grows during the walk, so it is the queue of a breadth-first search.
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

/** Walks backwards from the final states to find the states that cannot reach one. */
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
