/** Directed graphs over the numbers from 0, whose edges have a kind of type K. */
export interface Edge<K> {
  readonly from: number;
  readonly to: number;
  readonly kind: K;
}

export type Adjacency<K> = readonly (readonly Edge<K>[])[];

export function adjacency<K>(nodes: number, edges: Iterable<Edge<K>>): Adjacency<K> {
  const from: Edge<K>[][] = Array.from({ length: nodes }, () => []);
  for (const edge of edges) from[edge.from]?.push(edge);
  return from;
}

/** Strongly connected components of at least two nodes (Tarjan, without recursion). */
export function cyclicComponents<K>(graph: Adjacency<K>): number[][] {
  const found: number[][] = [];
  const index = new Int32Array(graph.length).fill(-1);
  const low = new Int32Array(graph.length);
  const onStack = new Uint8Array(graph.length);
  const stack: number[] = [];
  let visited = 0;
  for (let root = 0; root < graph.length; root += 1) {
    if (index[root] !== -1) continue;
    const path: { readonly node: number; edge: number }[] = [];
    const enter = (node: number): void => {
      index[node] = low[node] = visited;
      visited += 1;
      stack.push(node);
      onStack[node] = 1;
      path.push({ node, edge: 0 });
    };
    const lower = (node: number, value: number): void => {
      low[node] = Math.min(low[node] as number, value);
    };
    enter(root);
    for (let frame = path.at(-1); frame !== undefined; frame = path.at(-1)) {
      const { node } = frame;
      const edge = graph[node]?.[frame.edge];
      frame.edge += 1;
      if (edge !== undefined) {
        if (index[edge.to] === -1) enter(edge.to);
        else if (onStack[edge.to] === 1) lower(node, index[edge.to] as number);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent.node, low[node] as number);
      if (low[node] !== index[node]) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack[member] = 0;
      if (component.length > 1) found.push(component.sort((a, b) => a - b));
    }
  }
  return found;
}

/** The shortest path over edges that `allows` accepts; null: there is none. Also finds a path from a node to itself. */
export function shortestPath<K>(
  graph: Adjacency<K>,
  from: number,
  to: number,
  allows: (edge: Edge<K>) => boolean,
): Edge<K>[] | null {
  const reachedBy = new Map<number, Edge<K>>();
  let border = [from];
  while (border.length > 0) {
    const following: number[] = [];
    for (const node of border) {
      for (const edge of graph[node] ?? []) {
        if (!allows(edge) || reachedBy.has(edge.to)) continue;
        reachedBy.set(edge.to, edge);
        if (edge.to === to) return pathTo(reachedBy, from, to);
        following.push(edge.to);
      }
    }
    border = following;
  }
  return null;
}

function pathTo<K>(reachedBy: ReadonlyMap<number, Edge<K>>, from: number, to: number): Edge<K>[] {
  const path: Edge<K>[] = [];
  let node = to;
  do {
    const edge = reachedBy.get(node) as Edge<K>;
    path.unshift(edge);
    node = edge.from;
  } while (node !== from);
  return path;
}
