//! How many siblings stand before a node, counted along a walk in document order.

use std::ops::Range;

/// The nodes around the current one, each with how many children it had so far.
#[derive(Default)]
pub(super) struct Siblings {
    open: Vec<(usize, usize)>,
}

impl Siblings {
    /// Goes on to the next node; how many of its siblings came before it.
    pub fn enter(&mut self, span: &Range<usize>) -> usize {
        while self.open.last().is_some_and(|(end, _)| *end <= span.start && self.open.len() > 1) {
            self.open.pop();
        }
        let before =
            self.open.last_mut().map_or(0, |(_, children)| std::mem::replace(children, *children + 1));
        self.open.push((span.end, 0));
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_within_each_parent() {
        let mut siblings = Siblings::default();
        let mut check =
            |span: Range<usize>, expected| assert_eq!(siblings.enter(&span), expected, "{span:?}");
        check(0..20, 0);
        check(0..8, 0);
        check(0..3, 0);
        check(4..8, 1);
        check(9..12, 1);
        check(13..20, 2);
        check(13..20, 0);
        check(13..15, 0);
        check(15..20, 1);
    }
}
