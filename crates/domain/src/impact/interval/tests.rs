use super::*;

use crate::incident::tests::at;

#[test]
fn change_takes_effect_after_the_previous_one_and_not_in_the_future() {
    let effective = |since, previous: Option<i64>| {
        let from = effective_from(at(since), previous.map(at), false, at(100));
        from.timestamp()
    };
    assert_eq!(effective(20, None), 20);
    assert_eq!(effective(120, None), 100);
    assert_eq!(effective(20, Some(10)), 20);
    assert_eq!(effective(20, Some(50)), 50);
    assert_eq!(effective(20, Some(120)), 100);
}

#[test]
fn status_set_by_hand_stays_until_the_next_change() {
    let effective = |since| {
        let from = effective_from(at(since), Some(at(50)), true, at(100));
        from.timestamp()
    };
    assert_eq!(effective(60), 60);
    assert_eq!(effective(50), 100);
    assert_eq!(effective(20), 100);
}
