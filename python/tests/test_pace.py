"""How slow a server may be before the transfer is aborted."""

import unittest

from bindery._limits import RECHECK_AFTER, Deadline, Pace, TransferTooSlowError


class Paces(unittest.TestCase):
    def test_a_stalled_transfer_is_too_slow_after_the_window_and_a_grace_period(self):
        pace = Pace(1_024, 20)
        self.assertEqual(pace.patience(), 20)
        pace.moved(0, 20)
        self.assertEqual(pace.patience(), RECHECK_AFTER)
        pace.moved(0, RECHECK_AFTER)
        self.assertRaises(TransferTooSlowError, pace.patience)

    def test_a_trickle_below_the_minimum_rate_is_too_slow_eventually(self):
        for drop in [1, 500, 1_023]:
            pace, now, due = Pace(1_024, 20), 0.0, 1.0
            with self.assertRaises(TransferTooSlowError):
                while now < 100_000:
                    wait = min(pace.patience(), due - now)
                    now += wait
                    pace.moved(drop if now >= due else 0, wait)
                    due += now >= due
            self.assertGreaterEqual(now, 20)

    def test_the_minimum_rate_is_enough_and_a_suspended_process_gets_a_grace_period(self):
        pace = Pace(1_024, 20)
        for _ in range(1_000):
            pace.patience()
            pace.moved(2_048, 2)
        pace.moved(0, 3_600)
        pace.patience()
        pace.moved(100_000, 0.1)
        self.assertEqual(pace.patience(), 20)

    def test_no_rate_means_no_limit_and_progress_does_not_extend_a_deadline(self):
        pace = Pace(None, 20)
        pace.moved(0, 3_600)
        self.assertIsNone(pace.patience())
        deadline = Deadline(0)
        deadline.moved(10**9, 0)
        self.assertRaises(TransferTooSlowError, deadline.patience)


if __name__ == "__main__":
    unittest.main()
