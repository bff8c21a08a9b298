//! Tracks the actors that show each surface.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::surface::{ClientId, SurfaceActor};

/// The clients and sessions that show each surface. This is state of the host and is not stored.
///
/// A view ends when it is closed or when its lifetime is over. Every request that its holder makes to the surface
/// extends the view. Times are those that the host passes in. If the clock moves backwards, no view ends.
///
/// ```
/// use canvas_core::CanvasId;
/// use canvas_core::lease::Timestamp;
/// use canvas_core::surface::{ClientId, SurfaceActor};
/// use canvas_tools::surface::{ViewPolicy, Views};
///
/// let mut views = Views::new(ViewPolicy::default());
/// let (canvas, window) = (CanvasId::new("deploy")?, SurfaceActor::ClientId(ClientId::new("window")?));
/// assert!(views.open(&canvas, &window, Timestamp::from_millis(1_000)));
/// assert_eq!(views.of(&canvas), [window]);
/// let later = Timestamp::from_millis(1_000 + 30 * 60_000);
/// assert_eq!((views.expire(later), views.of(&canvas).len()), (vec![canvas.clone()], 0));
/// # Ok::<(), canvas_core::NameError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Views {
    policy: ViewPolicy,
    views: BTreeMap<CanvasId, BTreeMap<SurfaceActor, Timestamp>>,
    /// The same views, ordered by their end.
    ends: BTreeSet<(Timestamp, CanvasId, SurfaceActor)>,
}

/// The maximum number of views and their lifetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewPolicy {
    /// Time from the holder's last request to the end of a view. Default: 30 minutes.
    pub lifetime: Duration,
    /// Maximum number of views of all surfaces together. Beyond that, the view that would end first is removed.
    /// Default: 100,000.
    pub most: usize,
}

impl Default for ViewPolicy {
    fn default() -> Self {
        Self { lifetime: Duration::from_secs(30 * 60), most: 100_000 }
    }
}

impl Views {
    /// Creates an empty set of views.
    pub const fn new(policy: ViewPolicy) -> Self {
        Self { policy, views: BTreeMap::new(), ends: BTreeSet::new() }
    }

    /// Opens a view of a surface. Returns `false` if it was already open; its lifetime then starts again.
    pub fn open(&mut self, canvas: &CanvasId, who: &SurfaceActor, now: Timestamp) -> bool {
        let is_new = !self.close(canvas, who);
        while self.ends.len() >= self.policy.most.max(1) {
            let Some((_, canvas, who)) = self.ends.first().cloned() else { break };
            self.close(&canvas, &who);
        }
        let end = now.saturating_add(self.policy.lifetime);
        self.views.entry(canvas.clone()).or_default().insert(who.clone(), end);
        self.ends.insert((end, canvas.clone(), who.clone()));
        is_new
    }

    /// Closes a view of a surface. Returns `false` if it was not open.
    pub fn close(&mut self, canvas: &CanvasId, who: &SurfaceActor) -> bool {
        let Some(of_canvas) = self.views.get_mut(canvas) else { return false };
        let Some(end) = of_canvas.remove(who) else { return false };
        if of_canvas.is_empty() {
            self.views.remove(canvas);
        }
        self.ends.remove(&(end, canvas.clone(), who.clone()))
    }

    /// Extends a view, if it is open, because its holder made a request to the surface.
    pub fn touch(&mut self, canvas: &CanvasId, who: &SurfaceActor, now: Timestamp) {
        if self.views.get(canvas).is_some_and(|of_canvas| of_canvas.contains_key(who)) {
            self.open(canvas, who, now);
        }
    }

    /// Ends the views whose lifetime is over and returns their canvases.
    pub fn expire(&mut self, now: Timestamp) -> Vec<CanvasId> {
        let mut canvases = BTreeSet::new();
        while let Some((_, canvas, who)) = self.ends.first().filter(|(end, ..)| *end <= now).cloned() {
            self.close(&canvas, &who);
            canvases.insert(canvas);
        }
        canvases.into_iter().collect()
    }

    /// Closes all views of a disconnected actor and returns their canvases. Takes time linear in the number of views.
    pub fn disconnect(&mut self, who: &SurfaceActor) -> Vec<CanvasId> {
        let of_them = self.views.iter().filter(|(_, of_canvas)| of_canvas.contains_key(who));
        let canvases: Vec<CanvasId> = of_them.map(|(canvas, _)| canvas.clone()).collect();
        for canvas in &canvases {
            self.close(canvas, who);
        }
        canvases
    }

    /// Removes the views of a deleted canvas.
    pub fn forget(&mut self, canvas: &CanvasId) {
        for (who, end) in self.views.remove(canvas).into_iter().flatten() {
            self.ends.remove(&(end, canvas.clone(), who));
        }
    }

    /// Returns the actors that show a surface, ordered by name.
    pub fn of(&self, canvas: &CanvasId) -> Vec<SurfaceActor> {
        self.views.get(canvas).into_iter().flatten().map(|(who, _)| who.clone()).collect()
    }

    /// Returns the clients that show a surface, which receive its events.
    pub fn clients(&self, canvas: &CanvasId) -> impl Iterator<Item = &ClientId> {
        self.views.get(canvas).into_iter().flatten().filter_map(|(who, _)| match who {
            SurfaceActor::ClientId(client) => Some(client),
            SurfaceActor::SessionKey(_) => None,
        })
    }

    /// Returns the time at which the next view ends by itself, if there is one.
    pub fn next_end(&self) -> Option<Timestamp> {
        self.ends.first().map(|(end, ..)| *end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: ViewPolicy = ViewPolicy { lifetime: Duration::from_millis(100), most: 4 };

    fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn names(canvas: usize, who: usize) -> (CanvasId, SurfaceActor) {
        let who = SurfaceActor::ClientId(ClientId::new(["a", "b", "c"][who]).unwrap());
        (CanvasId::new(["x", "y", "z"][canvas]).unwrap(), who)
    }

    #[test]
    fn of_too_many_that_one_goes_which_would_end_first() {
        let mut views = Views::new(POLICY);
        for (canvas, who, now) in [(0, 0, 1), (0, 1, 2), (1, 0, 3), (1, 1, 4)] {
            let (canvas, who) = names(canvas, who);
            assert!(views.open(&canvas, &who, at(now)));
        }
        let (canvas, who) = names(0, 0);
        views.touch(&canvas, &who, at(5));
        let (third, last) = names(2, 2);
        assert!(views.open(&third, &last, at(6)));
        assert_eq!(views.of(&canvas), [who]);
        assert_eq!(views.next_end(), Some(at(103)));
    }

    proptest! {
        /// The views always equal a plain list.
        #[test]
        fn views_are_what_was_opened_and_not_ended(
            steps in prop::collection::vec((0..5_u8, 0..3_usize, 0..3_usize, 0..60_u64), 0..60),
        ) {
            let mut views = Views::new(ViewPolicy { most: 100, ..POLICY });
            let mut model: BTreeMap<(CanvasId, SurfaceActor), u64> = BTreeMap::new();
            let mut now = 0;
            for (what, canvas, who, ms) in steps {
                now += ms;
                let (canvas, who) = names(canvas, who);
                let key = (canvas.clone(), who.clone());
                match what {
                    0 | 1 => {
                        prop_assert_eq!(views.open(&canvas, &who, at(now)), model.insert(key, now + 100).is_none());
                    }
                    2 => prop_assert_eq!(views.close(&canvas, &who), model.remove(&key).is_some()),
                    3 => {
                        views.touch(&canvas, &who, at(now));
                        model.entry(key).and_modify(|end| *end = now + 100);
                    }
                    _ => {
                        let before = model.len();
                        model.retain(|_, end| *end > now);
                        prop_assert_eq!(views.expire(at(now)).is_empty(), model.len() == before);
                    }
                }
                let shown: Vec<_> = ["x", "y", "z"].iter().flat_map(|name| {
                    let canvas = CanvasId::new(name).unwrap();
                    views.of(&canvas).into_iter().map(move |who| (canvas.clone(), who))
                }).collect();
                prop_assert_eq!(shown, model.keys().cloned().collect::<Vec<_>>());
                prop_assert_eq!(views.next_end(), model.values().min().map(|end| at(*end)));
            }
        }
    }
}
