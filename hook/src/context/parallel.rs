//! Work on several processors, for what computes and reads this machine's files.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More help little: the disk and memory are shared.
const THREADS_MAX: usize = 8;

/// `work` on each of `items`, some at once; what it gives, in their order. An item whose work died is left out.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads =
        thread::available_parallelism().map_or(1, NonZeroUsize::get).min(THREADS_MAX).min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        running.into_iter().flat_map(|it| it.join().unwrap_or_default()).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, it)| it).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn keeps_the_order() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(map(&items, |it| it * 2), items.iter().map(|it| it * 2).collect::<Vec<_>>());
        assert_eq!(map(&[] as &[usize], |it| *it), Vec::<usize>::new());
    }
}
