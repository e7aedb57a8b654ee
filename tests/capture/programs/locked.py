"""The main thread waits for a lock that another thread keeps."""
import threading
import time

lock = threading.Lock()


def keep():
    with lock:
        time.sleep(0.6)


def wait_for_lock():
    with lock:
        pass


thread = threading.Thread(target=keep)
thread.start()
time.sleep(0.05)
wait_for_lock()
thread.join()
