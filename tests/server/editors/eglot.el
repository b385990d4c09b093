;;; Drives Emacs' eglot with the server.  The answers go to a file, as JSON.  -*- lexical-binding: t -*-
;; Variables: IDEMLINT_COMMAND (JSON list), IDEMLINT_ROOT, IDEMLINT_OUT.

(require 'json)
(require 'package)
(package-initialize)
(setq make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      enable-local-variables nil
      python-indent-guess-indent-offset nil
      eglot-sync-connect 60
      eglot-connect-timeout 60
      eglot-autoshutdown nil
      eglot-send-changes-idle-time 0
      flymake-no-changes-timeout 0.1)
(require 'eglot)

(defvar out (list))
(defun note (key value) (push (cons key value) out))

(add-to-list 'eglot-server-programs
             (cons 'python-mode (append (json-parse-string (getenv "IDEMLINT_COMMAND")
                                                           :array-type 'list)
                                        nil)))

(defun wait-until (done)
  (let ((until (+ (float-time) 30)))
    (while (and (not (funcall done)) (< (float-time) until))
      (accept-process-output nil 0.05)
      (sit-for 0.01))))

(defun send-changes ()
  ;; without a screen Emacs is never idle, and so would not send them
  (eglot--signal-textDocument/didChange))

(defun shown ()
  (vconcat
   (mapcar (lambda (found)
             `((row . ,(1- (line-number-at-pos (flymake-diagnostic-beg found))))
               (text . ,(substring-no-properties (flymake-diagnostic-text found)))
               (kind . ,(format "%s" (flymake-diagnostic-type found)))))
           (flymake-diagnostics))))

(defun wait-for (count)
  (wait-until (lambda () (= (length (flymake-diagnostics)) count)))
  (shown))

(defun apply-edit (edit)
  (condition-case nil
      (eglot--apply-workspace-edit edit nil)
    (wrong-number-of-arguments (eglot--apply-workspace-edit edit))))

(defun run ()
  (find-file (expand-file-name "tool.py" (getenv "IDEMLINT_ROOT")))
  (python-mode)
  (apply #'eglot (eglot--guess-contact))
  (unless (eglot-current-server) (wait-until #'eglot-current-server))
  (flymake-mode 1)
  (flymake-start)
  (note 'opened (wait-for 1))
  (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
  (let* ((server (eglot-current-server))
         (place (eglot--TextDocumentPositionParams))
         (hover (jsonrpc-request server :textDocument/hover place))
         (actions (jsonrpc-request
                   server :textDocument/codeAction
                   (list :textDocument (eglot--TextDocumentIdentifier)
                         :range (list :start (plist-get place :position)
                                      :end (plist-get place :position))
                         :context (list :diagnostics [] :only ["quickfix"])))))
    (note 'hover (plist-get (plist-get hover :contents) :value))
    (note 'actions (vconcat (mapcar (lambda (action) (plist-get action :title)) actions)))
    (apply-edit (plist-get (aref actions 0) :edit))
    (send-changes)
    (note 'after_fix (wait-for 0))
    (note 'fixed (buffer-substring-no-properties (point-min) (point-max)))
    ;; typed by hand: a line with wide signs above, then the fault again
    (erase-buffer)
    (insert "# é 😀\n")
    (insert-file-contents (buffer-file-name))
    (goto-char (point-min))
    (send-changes)
    (wait-until (lambda () (= (length (flymake-diagnostics)) 1)))
    (note 'again (shown))))

(condition-case trouble
    (run)
  (error (note 'trouble (format "%S" trouble))))
(with-temp-file (getenv "IDEMLINT_OUT")
  (set-buffer-file-coding-system 'utf-8)
  (insert (json-serialize out)))
(let ((kill-emacs-query-functions nil)) (kill-emacs 0))
