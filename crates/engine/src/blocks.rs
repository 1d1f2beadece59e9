//! Basic blocks in the order in which divergent threads meet again.
//!
//! The scheduler runs the group that is earliest in this order, so every block comes after all the blocks that can still
//! send threads to it: topological between loops, and every loop contiguous with its header first (a weak topological
//! order after Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993, by repeated strongly connected
//! components). The text's order does not do: compilers place cold blocks last.

/// Indices of the blocks reachable from block 0, in that order.
pub fn order(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut all = Vec::new();
    // Each task is a set of nodes to be ordered, with the header whose incoming edges no longer count.
    let mut tasks = vec![Task::Region(reachable(successors), 0)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Node(node) => all.push(node),
            Task::Region(nodes, entry) => tasks.extend(components(&nodes, entry, successors).into_iter().rev()),
        }
    }
    all
}

enum Task {
    Node(u32),
    Region(Vec<u32>, u32),
}

fn reachable(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; successors.len()];
    let (mut stack, mut nodes) = (vec![0u32], Vec::new());
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        nodes.push(node);
        stack.extend(&successors[node as usize]);
    }
    nodes
}

/// The strongly connected components of a region in topological order, edges to `entry` and out of the region cut. A loop
/// becomes a region of its own, entered at the node by which the search came in: its header, in a reducible graph.
fn components(nodes: &[u32], entry: u32, successors: &[Vec<u32>]) -> Vec<Task> {
    let mut tarjan = Tarjan::new(nodes, entry, successors);
    tarjan.visit(entry);
    nodes.iter().for_each(|node| tarjan.visit(*node));
    let task = |component: Vec<u32>| match component[..] {
        [node] => Task::Node(node),
        _ => Task::Region(component.clone(), component[0]),
    };
    tarjan.components.into_iter().rev().map(task).collect()
}

/// Tarjan's algorithm without recursion; each component lists first the node by which the search entered it.
struct Tarjan<'a> {
    successors: &'a [Vec<u32>],
    entry: u32,
    number: std::collections::HashMap<u32, u32>,
    low: std::collections::HashMap<u32, u32>,
    stacked: std::collections::HashSet<u32>,
    stack: Vec<u32>,
    counter: u32,
    components: Vec<Vec<u32>>,
}

const UNSEEN: u32 = u32::MAX;

impl<'a> Tarjan<'a> {
    fn new(nodes: &[u32], entry: u32, successors: &'a [Vec<u32>]) -> Self {
        Tarjan {
            successors,
            entry,
            number: nodes.iter().map(|n| (*n, UNSEEN)).collect(),
            low: std::collections::HashMap::new(),
            stacked: std::collections::HashSet::new(),
            stack: Vec::new(),
            counter: 0,
            components: Vec::new(),
        }
    }

    fn visit(&mut self, root: u32) {
        if self.number[&root] != UNSEEN {
            return;
        }
        let mut path = vec![(root, 0usize)];
        self.open(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(successor) = self.successors[node as usize].get(*next).copied() else {
                path.pop();
                self.close(node);
                if let Some((parent, _)) = path.last() {
                    self.lower(*parent, self.low[&node]);
                }
                continue;
            };
            *next += 1;
            if successor == self.entry {
                continue;
            }
            match self.number.get(&successor) {
                None => {}
                Some(&UNSEEN) => {
                    self.open(successor);
                    path.push((successor, 0));
                }
                Some(&number) if self.stacked.contains(&successor) => self.lower(node, number),
                Some(_) => {}
            }
        }
    }

    fn open(&mut self, node: u32) {
        self.number.insert(node, self.counter);
        self.low.insert(node, self.counter);
        self.counter += 1;
        self.stack.push(node);
        self.stacked.insert(node);
    }

    fn lower(&mut self, node: u32, number: u32) {
        if let Some(low) = self.low.get_mut(&node) {
            *low = number.min(*low);
        }
    }

    fn close(&mut self, node: u32) {
        if self.low[&node] != self.number[&node] {
            return;
        }
        if let Some(at) = self.stack.iter().rposition(|n| *n == node) {
            let component = self.stack.split_off(at);
            component.iter().for_each(|n| {
                self.stacked.remove(n);
            });
            self.components.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    /// Position of each block in the order.
    fn positions(successors: &[Vec<u32>]) -> Vec<usize> {
        let order = order(successors);
        (0..successors.len() as u32).map(|b| order.iter().position(|o| *o == b).unwrap_or(usize::MAX)).collect()
    }

    #[test]
    fn join_comes_after_both_arms() {
        let at = positions(&[vec![1, 2], vec![3], vec![3], vec![]]);
        assert!(at[0] < at[1] && at[0] < at[2] && at[1] < at[3] && at[2] < at[3]);
    }

    #[test]
    fn exit_comes_after_the_loop_whatever_the_edge_order() {
        for header in [vec![4, 2], vec![2, 4]] {
            let at = positions(&[vec![1], header, vec![3], vec![1], vec![]]);
            assert!(at[1] < at[2] && at[2] < at[3] && at[3] < at[4]);
        }
        // 0 -> 1 (header) -> {4 exit, 2}; 2 -> {4 break, 3}; 3 -> 1
        let at = positions(&[vec![1], vec![4, 2], vec![4, 3], vec![1], vec![]]);
        assert!(at[1] < at[2] && at[2] < at[3] && at[3] < at[4]);
    }

    #[test]
    fn nested_loops_are_contiguous() {
        // 0 -> 1 outer header -> {6, 2}; 2 inner header -> {4, 3}; 3 -> 2; 4 -> {1, 5}; 5 -> 6
        let at = positions(&[vec![1], vec![6, 2], vec![4, 3], vec![2], vec![1, 5], vec![6], vec![]]);
        assert!(at[1] < at[2] && at[2] < at[3] && at[3] < at[4] && at[4] < at[5] && at[5] < at[6]);
    }

    #[test]
    fn unreachable_blocks_are_left_out() {
        assert_eq!(order(&[vec![], vec![0]]), [0]);
    }

    #[test]
    fn deep_chains_do_not_recurse() {
        let n = 100_000;
        let chain: Vec<Vec<u32>> = (0..n).map(|i| if i + 1 < n { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(order(&chain).len(), n as usize);
    }
}
