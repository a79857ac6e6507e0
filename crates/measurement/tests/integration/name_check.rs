//! Tests which names are valid.

use measurement::name_check::{check_label, check_slug};

#[test]
fn names_cannot_leave_their_directory_and_are_no_html() {
    let is_slug = |name| check_slug("machine", name).is_ok();
    let is_label = |name| check_label("contender", name).is_ok();
    assert!(["spawn-cost", "epyc-zen4-vm-2", "local", "a"].into_iter().all(is_slug));
    for bad in ["", ".", "..", "../x", "a/b", "a\\b", "A", "-a", "a--b", "a b", "<b>", "é"] {
        assert!(!is_slug(bad), "{bad}");
    }
    let good = ["std::thread", "tokio multi-thread", "AtomicU64 load + store", "ours"];
    assert!(good.into_iter().all(is_label));
    for bad in ["", " ", "<script>", "a&b", "a\"b", "a'b", "a\nb", " a", "a/b", ".."] {
        assert!(!is_label(bad), "{bad}");
    }
}
