//! The union of two scalable filters that grow alike.

use super::layer::Layer;
use super::{Gauge, Over, Scalable, layer_target};
use crate::error::Mismatch;
use crate::kind::Kind;

impl Scalable {
    /// Adds the layers of another filter that was made with the same target, options and seed: each
    /// to the layer of the same number. Fails otherwise, and changes nothing.
    ///
    /// This is no [`Merge`](crate::Merge), which gives what building from both sets would: a scalable
    /// filter built from both has fewer keys per layer. Here a layer may hold twice the keys that it
    /// is for, and then [`Profile::fpr_now`](crate::Profile::fpr_now) is above the target. The next
    /// new key adds a layer.
    ///
    /// ```
    /// use anther::{Scalable, Target};
    ///
    /// let target = Target::new(1000, 0.01)?;
    /// let (mut monday, mut tuesday) = (Scalable::new(target)?, Scalable::new(target)?);
    /// monday.insert("a")?;
    /// (0..5000u32).try_for_each(|key| tuesday.insert(key).map(drop))?;
    /// monday.unite(&tuesday)?;
    /// assert!(monday.contains("a") && (0..5000u32).all(|key| monday.contains(key)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Layers of counters are added only where both filters have one layer. With more, a key may be
    /// in a layer whose older ones report it by mistake, and
    /// [`remove`](Scalable::remove) would take it from the wrong one.
    pub fn unite(&mut self, other: &Scalable) -> Result<(), Mismatch> {
        self.about.check_alike(&other.about)?;
        if self.series != other.series || self.over != other.over {
            return Err(Mismatch::Option { name: "target, over, growth or tightening" });
        }
        let counting = matches!(self.over, Over::Counting { .. });
        if counting && self.layers().max(other.layers()) > 1 {
            return Err(Mismatch::Unsupported { kind: Kind::Scalable });
        }
        // First everything that can fail.
        let added = (self.layers()..other.layers()).map(|number| {
            let target = layer_target(self.series, self.over, number);
            let layer = target.and_then(|target| Layer::empty(self.over, target, self.about.seed));
            layer.map_err(|_| Mismatch::Unsupported { kind: Kind::Scalable })
        });
        let mut added: Vec<_> = added.collect::<Result<_, _>>()?;
        let ours = self.older.iter().chain([&self.newest]).chain(&added);
        let theirs = || other.older.iter().chain([&other.newest]);
        if !ours.zip(theirs()).all(|(ours, theirs)| ours.has_shape_of(theirs)) {
            return Err(Mismatch::Option { name: "size of a layer" });
        }
        for layer in self.older.iter_mut().chain([&mut self.newest]) {
            layer.own()?;
        }

        if let Some(newest) = added.pop() {
            self.older.push(std::mem::replace(&mut self.newest, newest));
            // The one that was the newest comes before those that were added.
            self.older.append(&mut added);
        }
        for (ours, theirs) in self.older.iter_mut().chain([&mut self.newest]).zip(theirs()) {
            ours.add(theirs)?;
        }
        self.gauge = Gauge::default();
        self.about.take_in(&other.about);
        Ok(())
    }
}
