//! A list whose copies share their unchanged parts.

use std::sync::Arc;

/// A list in pieces of `N`. A copy costs an `N`th of the list. A change of a shared list costs the piece that holds the
/// item.
#[derive(Debug, Clone)]
pub(crate) struct CowList<T, const N: usize> {
    pieces: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T, const N: usize> Default for CowList<T, N> {
    fn default() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }
}

impl<T: Clone, const N: usize> CowList<T, N> {
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.pieces.get(at / N)?.get(at % N)
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        Arc::make_mut(self.pieces.get_mut(at / N)?).get_mut(at % N)
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.pieces.last_mut() {
            Some(piece) if !self.len.is_multiple_of(N) => Arc::make_mut(piece).push(item),
            _ => {
                // The first piece may stay short.
                let mut piece = Vec::with_capacity(if self.pieces.is_empty() { 1 } else { N });
                piece.push(item);
                self.pieces.push(Arc::new(piece));
            }
        }
        self.len += 1;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_what_the_other_changes() {
        let mut one = CowList::<_, 4>::default();
        for number in 0..10 {
            one.push(number);
        }
        let mut two = one.clone();
        *two.get_mut(5).unwrap() = 50;
        two.push(10);
        one.push(-10);
        let all = |chunks: &CowList<i32, 4>| chunks.iter().copied().collect::<Vec<_>>();
        assert_eq!(all(&one), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -10]);
        assert_eq!(all(&two), [0, 1, 2, 3, 4, 50, 6, 7, 8, 9, 10]);
        assert_eq!((one.len(), one.get(10), one.get(11), two.get(5)), (11, Some(&-10), None, Some(&50)));
        assert!(Arc::ptr_eq(&one.pieces[0], &two.pieces[0]) && !Arc::ptr_eq(&one.pieces[1], &two.pieces[1]));
    }
}
