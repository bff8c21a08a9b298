//! Finds the region of a text that is most similar to missing lines. Each line votes for the position at which all of
//! them would begin.
//!
//! A line that occurs in the text votes for its position, and a rarer line has a stronger vote. If these votes do not
//! decide, lines that are similar to lines of the text vote too. Votes for positions a few lines apart support one
//! another, because an additional or missing line moves the lines after it.

use std::cmp::Reverse;

use super::likeness::{EQUAL, likeness};
use super::shingles::{Alike, alike};
use super::wanted::{Occurrences, Wanted};
use crate::text::numbered::NumberedLines;

/// Weight of the vote of a line that occurs once.
const VOTE: u64 = 1 << 20;

/// Weight of the vote of a blank line, which decides only if no other line does.
const BLANK: u64 = 1;

/// Maximum distance in lines between votes that support one another.
const SHIFT: i64 = 3;

/// Maximum number of lines of one hunk that vote for the places where they occur, the rarest first, and maximum number
/// that vote for similar lines.
const VOTERS: usize = 256;
const LIKE_VOTERS: usize = 8;

/// Maximum number of places compared line by line, and of lines compared at each.
const PLACES: usize = 16;
const COMPARED: usize = 16;

/// The vote of one line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Vote {
    /// The line, counted from 0, at which the lines would begin. It may be before the text.
    start: i64,
    /// Index of the voting line.
    by: usize,
    weight: u64,
}

/// Returns for each of `wanted` the line, counted from 0, at which the region begins. Only the first `first` of them
/// are also compared with similar lines.
pub(super) fn starts(
    lines: &NumberedLines<'_>,
    wanted: &[Wanted<'_>],
    occurrences: &Occurrences<'_>,
    first: usize,
) -> Vec<Option<i64>> {
    let mut votes: Vec<Vec<Vote>> =
        wanted.iter().enumerate().map(|(i, wanted)| exact_votes(wanted, occurrences, i < first)).collect();
    let open: Vec<usize> =
        (0..wanted.len().min(first)).filter(|&i| !is_decided(&votes[i], &wanted[i])).collect();
    let voters: Vec<Vec<usize>> = open.iter().map(|&i| like_voters(&wanted[i], occurrences)).collect();
    let of_hunk =
        |(&i, voters): (&usize, &Vec<usize>)| voters.iter().map(move |&at| (i, at)).collect::<Vec<_>>();
    let asked: Vec<(usize, usize)> = open.iter().zip(&voters).flat_map(of_hunk).collect();
    let sought: Vec<&str> = asked.iter().map(|&(i, at)| &*wanted[i].sought[at]).collect();
    let answers: Vec<Alike> = if sought.is_empty() { Vec::new() } else { alike(lines, &sought) };
    for ((i, at), answer) in asked.into_iter().zip(answers) {
        votes[i].extend(answer.into_iter().map(|(line, likeness)| {
            let likeness = u64::from(likeness);
            Vote::new(line, at, VOTE * likeness * likeness / u64::from(EQUAL * EQUAL))
        }));
    }
    let best = |(i, votes): (usize, Vec<Vote>)| {
        let ranked = ranked(votes, wanted[i].hint);
        if i < first { most_alike(lines, &wanted[i], occurrences, &ranked) } else { ranked.first().copied() }
    };
    votes.into_iter().enumerate().map(best).collect()
}

impl Vote {
    /// Creates the vote of the sought line at index `by` for the case that it is at `line` of the text.
    fn new(line: usize, by: usize, weight: u64) -> Self {
        Self { start: line as i64 - by as i64, by, weight }
    }
}

fn exact_votes(wanted: &Wanted<'_>, occurrences: &Occurrences<'_>, in_detail: bool) -> Vec<Vote> {
    let mut voters: Vec<(usize, usize)> =
        wanted.sought.iter().enumerate().map(|(at, line)| (occurrences.count(line), at)).collect();
    voters.retain(|(count, _)| *count > 0);
    let (most, places) = if in_detail { (VOTERS, usize::MAX) } else { (8, 8) };
    if voters.len() > most {
        voters.select_nth_unstable(most);
        voters.truncate(most);
    }
    let votes = voters.into_iter().flat_map(|(count, at)| {
        let line = &wanted.sought[at];
        let weight = if line.trim().is_empty() { BLANK } else { (VOTE / count as u64).max(2) };
        occurrences.places(line).iter().take(places).map(move |&place| Vote::new(place, at, weight))
    });
    votes.collect()
}

/// Whether exactly one place has the votes of half of the lines that are not blank, and these weigh at least as much as
/// the vote of a line that occurs once.
fn is_decided(votes: &[Vote], wanted: &Wanted<'_>) -> bool {
    let solid = wanted.sought.iter().filter(|line| !line.trim().is_empty()).count();
    let mut votes: Vec<Vote> = votes.iter().filter(|vote| vote.weight > BLANK).copied().collect();
    votes.sort_unstable();
    let mut places = votes.chunk_by(|a, b| a.start == b.start);
    let is_strong = |votes: &[Vote]| {
        votes.iter().map(|vote| vote.weight).sum::<u64>() >= VOTE && votes.len() * 2 >= solid
    };
    places.by_ref().any(is_strong) && !places.any(is_strong)
}

/// Returns the indices of the longest lines that the text does not have.
fn like_voters(wanted: &Wanted<'_>, occurrences: &Occurrences<'_>) -> Vec<usize> {
    let is_open = |&at: &usize| {
        let line = &*wanted.sought[at];
        !line.trim().is_empty() && occurrences.count(line) == 0
    };
    let mut voters: Vec<usize> = (0..wanted.sought.len()).filter(is_open).collect();
    voters.sort_by_key(|&at| Reverse(wanted.sought[at].len()));
    voters.truncate(LIKE_VOTERS);
    voters
}

/// Returns the places, the best supported first. Ties are broken by the distance to the hint, and then by the order in
/// the text.
fn ranked(mut votes: Vec<Vote>, hint: Option<usize>) -> Vec<i64> {
    votes.sort_unstable();
    let mut ranked: Vec<(u64, u64, i64)> = Vec::new();
    let (mut from, mut to, mut at) = (0, 0, 0);
    for own in votes.chunk_by(|a, b| a.start == b.start) {
        let start = own[0].start;
        from += votes[from..].iter().take_while(|vote| vote.start < start - SHIFT).count();
        to += votes[to..].iter().take_while(|vote| vote.start <= start + SHIFT).count();
        // In a text that repeats itself, a line that votes for this place does not support it from nearby places too.
        let voted = |vote: &&Vote| own.binary_search_by_key(&vote.by, |own| own.by).is_err();
        let beside = votes[from..at].iter().chain(&votes[at + own.len()..to]);
        let mut support: Vec<(usize, u64)> =
            beside.filter(voted).map(|vote| (vote.by, vote.weight * 3 / 4)).collect();
        support.sort_unstable_by_key(|&(by, weight)| (by, Reverse(weight)));
        support.dedup_by_key(|(by, _)| *by);
        let distance = hint.map_or(0, |hint| start.abs_diff(hint as i64));
        let weight = own.iter().map(|vote| vote.weight).chain(support.into_iter().map(|(_, weight)| weight));
        ranked.push((weight.sum(), distance, start));
        at += own.len();
    }
    ranked.sort_by_key(|&(votes, distance, start)| (Reverse(votes), distance, start));
    ranked.truncate(PLACES);
    ranked.into_iter().map(|(_, _, start)| start).collect()
}

/// Returns the place whose lines are most similar to the wanted ones. Among equals, this is the best supported one.
fn most_alike(
    lines: &NumberedLines<'_>,
    wanted: &Wanted<'_>,
    occurrences: &Occurrences<'_>,
    ranked: &[i64],
) -> Option<i64> {
    let [first, _, ..] = ranked else { return ranked.first().copied() };
    // Lines that do not occur tell as much as rare ones.
    let mut telling: Vec<usize> = (0..wanted.sought.len()).collect();
    telling
        .sort_by_key(|&at| (wanted.sought[at].trim().is_empty(), occurrences.count(&wanted.sought[at]), at));
    telling.truncate(COMPARED);
    let like = |start: i64| {
        let like = telling.iter().map(|&at| {
            let line = usize::try_from(start + at as i64).ok().and_then(|line| lines.get(line));
            line.map_or(0, |line| likeness(&wanted.sought[at], line))
        });
        like.sum::<u32>()
    };
    // `max_by_key` takes the last of equals.
    let best = ranked.iter().rev().max_by_key(|&&start| like(start));
    Some(*best.unwrap_or(first))
}
