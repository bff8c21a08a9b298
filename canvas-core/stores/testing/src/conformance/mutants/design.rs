//! Designs of flaws: the affected commits, and the effect.

use canvas_core::store::Capabilities;

use super::flaw::Flaw;
use super::kind::CommitKind;
use super::naming::{Naming, Part};
use super::race::{Effect, Race};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Design {
    pub(super) race: Option<Race>,
    pub(super) naming: Option<Naming>,
    pub(super) claim: Option<Claim>,
}

impl Design {
    const NONE: Self = Self { race: None, naming: None, claim: None };

    pub(super) const fn of(flaw: Flaw) -> Self {
        use CommitKind::{Bump, Deletion, Edit, First, Revival};
        match flaw {
            Flaw::RacesEdits => Self::race(Race::of(Some(Edit), Effect::Overwrites)),
            Flaw::LosesEdits => Self::race(Race::of(Some(Edit), Effect::Loses)),
            Flaw::RacesNowAndThen => Self::race(Race { every: 3, ..Race::of(None, Effect::Overwrites) }),
            Flaw::RacesBumps => Self::race(Race::of(Some(Bump), Effect::Overwrites)),
            Flaw::RacesCreations => Self::race(Race::of(Some(First), Effect::Overwrites)),
            Flaw::LosesCreations => Self::race(Race::of(Some(First), Effect::Loses)),
            Flaw::RacesDeletions => Self::race(Race::of(Some(Deletion), Effect::Overwrites)),
            Flaw::RacesRevivals => Self::race(Race::of(Some(Revival), Effect::Overwrites)),
            Flaw::RacesLimits => Self::race(Race { limited: true, ..Race::of(None, Effect::Overwrites) }),
            Flaw::NamesVersionsByHead => Self::naming(Naming::of(&[Part::Head])),
            Flaw::NamesVersionsByTime => Self::naming(Naming::of(&[Part::Second])),
            Flaw::NumbersEachLife => Self::naming(Naming::of(&[Part::CountOfLife])),
            Flaw::NumbersEachCanvas => Self::naming(Naming::of(&[Part::CountOfCanvas])),
            Flaw::NumbersAllCommits => Self::naming(Naming::of(&[Part::Count])),
            Flaw::HashesTheVersionBefore => Self::naming(Naming::of(&[Part::Before])),
            Flaw::IgnoresLimitsOfBumps => Self::claim(Claim::NotAfter { but: Bump }),
            Flaw::IgnoresLimitsOfDeletions => Self::claim(Claim::NotAfter { but: Deletion }),
            Flaw::DoesNotNotifyOfDeletions => Self::claim(Claim::Notify { but: Deletion }),
            _ => Self::NONE,
        }
    }

    pub(super) const fn race(race: Race) -> Self {
        Self { race: Some(race), ..Self::NONE }
    }

    pub(super) const fn naming(naming: Naming) -> Self {
        Self { naming: Some(naming), ..Self::NONE }
    }

    pub(super) const fn claim(claim: Claim) -> Self {
        Self { claim: Some(claim), ..Self::NONE }
    }

    /// Whether the mutant loads the row before it commits.
    pub(super) fn looks(self) -> bool {
        self != Self::NONE
    }

    pub(super) fn claims(self, capabilities: Capabilities) -> Capabilities {
        match self.claim {
            Some(Claim::NotAfter { .. }) => Capabilities { not_after: true, ..capabilities },
            Some(Claim::Notify { .. }) => Capabilities { notify: true, ..capabilities },
            None => capabilities,
        }
    }
}

/// A capability that the store claims but lacks for one kind of commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    NotAfter { but: CommitKind },
    Notify { but: CommitKind },
}

impl Claim {
    pub(super) fn ignores_limit(self, kind: CommitKind) -> bool {
        self == Self::NotAfter { but: kind }
    }
}
