//! Batches of rows, one for each statement, below the limits for parameters: 32,766 on SQLite and
//! 65,535 on PostgreSQL.
//!
//! The number of rows of a batch is a power of two. The drivers keep a compiled statement for each
//! text, and a text for each number of rows would push all others out.

/// Maximum number of rows of a statement. A row may have 30 values.
const ROWS_OF_A_STATEMENT: usize = 1_024;

/// Batches of keys by which a statement finds or changes rows. The last key is repeated up to the
/// next power of two.
pub(crate) fn of_keys<K: Clone>(keys: &[K]) -> impl Iterator<Item = Vec<K>> {
    keys.chunks(ROWS_OF_A_STATEMENT).map(one_of_keys)
}

/// One batch of all keys, for a statement that cannot be divided. The caller has at most as many as
/// a worker sends messages at a time, or as notices are removed at a time.
pub(crate) fn one_of_keys<K: Clone>(keys: &[K]) -> Vec<K> {
    let mut batch = keys.to_vec();
    if let Some(last) = keys.last() {
        batch.resize(keys.len().next_power_of_two(), last.clone());
    }
    batch
}

/// Batches of rows to insert. Those that remain after the largest batches are split.
pub(crate) fn of_rows<R>(rows: &[R]) -> impl Iterator<Item = &[R]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let exponent = rest.len().min(ROWS_OF_A_STATEMENT).checked_ilog2()?;
        let (batch, others) = rest.split_at(1 << exponent);
        rest = others;
        Some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_all_rows_in_order_and_lengths_of_powers_of_two() {
        let rows: Vec<_> = (0..2_500).collect();
        for number in [0, 1, 7, 1_024, 2_500] {
            let rows = &rows[..number];
            let batches: Vec<_> = of_rows(rows).collect();
            let is_power = |batch: &&[i32]| batch.len().is_power_of_two();
            assert!(batches.iter().all(is_power), "{number}");
            assert_eq!(batches.concat(), rows);
            let mut batches: Vec<_> = of_keys(rows).collect();
            assert_eq!(batches.len(), number.div_ceil(ROWS_OF_A_STATEMENT));
            for batch in &mut batches {
                assert!(batch.len().is_power_of_two(), "{number}");
                batch.dedup();
            }
            assert_eq!(batches.concat(), rows);
        }
    }

    #[test]
    fn few_rows_are_one_batch() {
        assert_eq!(of_rows(&[1]).count(), 1);
        assert_eq!(of_keys(&[1, 2, 3]).collect::<Vec<_>>(), [[1, 2, 3, 3]]);
        assert_eq!(one_of_keys(&[1, 2, 3]), [1, 2, 3, 3]);
        assert!(one_of_keys::<i32>(&[]).is_empty());
        assert_eq!(of_rows(&[1, 2, 3]).collect::<Vec<_>>(), [&[1, 2][..], &[3]]);
    }
}
